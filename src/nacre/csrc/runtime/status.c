/* SPDX-License-Identifier: Apache-2.0 */
/* A sentence for every status. Written by `make docs`. */
#include "nacre_runtime.h"

const char *nacre_plan_status_string(int32_t status)
{
    switch (status) {
    case NACRE_STATUS_OK:
        return "ok";
    case NACRE_STATUS_NULL:
        return "an argument is NULL";
    case NACRE_STATUS_TOO_SHORT:
        return "the file is shorter than its header says";
    case NACRE_STATUS_NOT_A_PLAN:
        return "the file does not begin as a plan does";
    case NACRE_STATUS_MAJOR_VERSION:
        return "the file has another major version";
    case NACRE_STATUS_CHECKSUM:
        return "the checksum does not match: the file is damaged";
    case NACRE_STATUS_FILE_MISALIGNED:
        return "the file is not mapped at an aligned address";
    case NACRE_STATUS_BAD_HEADER:
        return "the header has a number out of range";
    case NACRE_STATUS_BAD_SECTION:
        return "a section is out of bounds, misaligned, twice or overlaps";
    case NACRE_STATUS_UNKNOWN_SECTION:
        return "a section that is not optional is not known";
    case NACRE_STATUS_MISSING_SECTION:
        return "a section that is needed is missing";
    case NACRE_STATUS_BAD_REGION:
        return "a region is out of bounds, misaligned or overlaps";
    case NACRE_STATUS_BAD_VARIABLE:
        return "a variable's first value is out of bounds";
    case NACRE_STATUS_BAD_TENSOR:
        return "an input or output is out of bounds, or its sizes disagree";
    case NACRE_STATUS_BAD_NAME:
        return "a name does not end";
    case NACRE_STATUS_MISSING_KERNEL:
        return "the firmware does not have a kernel that the plan needs";
    case NACRE_STATUS_TOO_MANY_KERNELS:
        return "more kernels than the runtime was built for";
    case NACRE_STATUS_BAD_SEGMENT:
        return "a segment or loop has actions out of bounds";
    case NACRE_STATUS_BAD_ACTION:
        return "an action is of an unknown kind or has a number out of range";
    case NACRE_STATUS_BAD_ARGUMENTS:
        return "the arguments of a call are out of bounds or misaligned";
    case NACRE_STATUS_BAD_ROWS:
        return "the rows of an action are out of order";
    case NACRE_STATUS_BAD_PARAMETERS:
        return "the parameters of a call are not possible";
    case NACRE_STATUS_OUT_OF_BOUNDS:
        return "a call would reach beyond a region, or write constants";
    case NACRE_STATUS_OVERLAP:
        return "the operands of a call overlap in a way that it does not allow";
    case NACRE_STATUS_BAD_TABLE:
        return "a table of a call holds values out of range";
    case NACRE_STATUS_BAD_BLOCK:
        return "a packed block is out of bounds";
    case NACRE_STATUS_DAMAGED_BLOCK:
        return "a packed block cannot be unpacked";
    case NACRE_STATUS_BAD_MOVE:
        return "a move is out of bounds";
    case NACRE_STATUS_NOT_OPEN:
        return "the plan is not open";
    case NACRE_STATUS_NOT_PREPARED:
        return "the plan has no arenas yet";
    case NACRE_STATUS_MISSING_ARENA:
        return "an arena that the plan needs was not given";
    case NACRE_STATUS_ARENA_TOO_SMALL:
        return "an arena is smaller than the plan needs";
    case NACRE_STATUS_ARENA_MISALIGNED:
        return "an arena is not aligned as the plan needs";
    case NACRE_STATUS_ARENA_OVERLAP:
        return "two arenas, or an arena and the file, overlap";
    case NACRE_STATUS_NO_TENSOR:
        return "no input or output has this number";
    case NACRE_STATUS_NO_CALLBACK:
        return "rows come from or go to the caller, who has no callback";
    case NACRE_STATUS_STOPPED:
        return "a callback returned a status other than 0";
    default:
        return "no status of the runtime";
    }
}
