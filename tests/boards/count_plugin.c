/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin for QEMU: counts instructions exactly, and says how far it was at one address. */
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The part of QEMU's plugin interface, version 1, that is used here. */
typedef uint64_t plugin_id;
typedef void (*translated_t)(plugin_id id, void *block);
typedef void (*executed_t)(unsigned int cpu, void *user);

extern void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, translated_t call);
extern size_t qemu_plugin_tb_n_insns(const void *block);
extern void *qemu_plugin_tb_get_insn(const void *block, size_t index);
extern uint64_t qemu_plugin_insn_vaddr(const void *instruction);
extern void qemu_plugin_register_vcpu_insn_exec_cb(void *instruction, executed_t call, int flags,
                                                   void *user);

int qemu_plugin_version = 1;
int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv);

static uint64_t executed;
static uint64_t marked_address;

static void count(unsigned int cpu, void *user)
{
    (void)cpu;
    (void)user;
    ++executed;
}

static void mark(unsigned int cpu, void *user)
{
    (void)cpu;
    (void)user;
    fprintf(stderr, "exact %" PRIu64 "\n", executed);
}

static void translated(plugin_id id, void *block)
{
    (void)id;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); ++i) {
        void *const instruction = qemu_plugin_tb_get_insn(block, i);
        qemu_plugin_register_vcpu_insn_exec_cb(instruction, count, 0, NULL);
        if (qemu_plugin_insn_vaddr(instruction) == marked_address) {
            qemu_plugin_register_vcpu_insn_exec_cb(instruction, mark, 0, NULL);
        }
    }
}

int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv)
{
    (void)info;
    if (argc != 1) {
        return 1;
    }
    marked_address = strtoull(argv[0] + sizeof "at=" - 1, NULL, 0);
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    return 0;
}
