/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel symbols keep their own names here; a generated module renames them with its prefix. */
#ifndef NACRE_NAMES_H
#define NACRE_NAMES_H
#endif
