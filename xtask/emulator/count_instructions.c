// A plugin of qemu's user mode that counts the instructions that a program executes.
//
//     cc -shared -fPIC -O2 count_instructions.c -o count_instructions.so
//     qemu-aarch64 -plugin ./count_instructions.so,report=counts ./program
//
// Written at exit, to the file `report`: a line for each block of code with its address, its number of instructions and
// how often it was executed. Blocks are counted when they are entered: one that a signal or a fault leaves early counts
// as a whole.
//
// Distributions package no header for plugins, so what is used of the interface (version 1, `qemu-plugin.h` of qemu
// 7.2, which later versions of qemu accept as well) is declared here.

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *block);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *block, enum qemu_plugin_op operation,
                                              void *counter, uint64_t amount);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
                                           void (*callback)(qemu_plugin_id_t, struct qemu_plugin_tb *));
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*callback)(qemu_plugin_id_t, void *), void *data);

#define EXPORT __attribute__((visibility("default")))

EXPORT int qemu_plugin_version = 1;

/// A translated block of code. The same code may be translated more than once.
struct block {
    struct block *next;
    uint64_t address;
    uint64_t instructions;
    uint64_t executions;
};

static struct block *blocks;
static const char *report_path;

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *translation) {
    struct block *block = calloc(1, sizeof *block);
    if (!block)
        abort();
    block->address = qemu_plugin_tb_vaddr(translation);
    block->instructions = qemu_plugin_tb_n_insns(translation);
    // Translation is done by one thread at a time.
    block->next = blocks;
    blocks = block;
    qemu_plugin_register_vcpu_tb_exec_inline(translation, QEMU_PLUGIN_INLINE_ADD_U64, &block->executions, 1);
}

static void finished(qemu_plugin_id_t id, void *data) {
    FILE *report = fopen(report_path, "w");
    if (!report) {
        perror(report_path);
        return;
    }
    for (struct block *block = blocks; block; block = block->next)
        if (block->executions)
            fprintf(report, "block 0x%" PRIx64 " %" PRIu64 " %" PRIu64 "\n", block->address, block->instructions,
                    block->executions);
    if (fclose(report))
        perror(report_path);
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int count, char **arguments) {
    for (int index = 0; index < count; index++) {
        char *argument = arguments[index];
        if (!strncmp(argument, "report=", 7))
            report_path = strdup(argument + 7);
        else {
            fprintf(stderr, "count_instructions: unknown argument %s\n", argument);
            return 1;
        }
    }
    if (!report_path) {
        fprintf(stderr, "count_instructions: report=FILE is needed\n");
        return 1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, finished, NULL);
    return 0;
}
