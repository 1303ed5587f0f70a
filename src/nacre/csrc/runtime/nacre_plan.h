/* SPDX-License-Identifier: Apache-2.0 */
/* The plan file as C sees it. Written by `make docs`; PLAN_FORMAT.md explains it. */
#ifndef NACRE_PLAN_H
#define NACRE_PLAN_H

#include <stdint.h>

#define NACRE_PLAN_MAGIC UINT32_C(0x1a52434e)
#define NACRE_PLAN_MAJOR 1
#define NACRE_PLAN_MINOR 0
#define NACRE_SECTION_ALIGNMENT 16
#define NACRE_OFFSET_BITS 28
#define NACRE_MAX_REGIONS 16
#define NACRE_MAX_ARENAS 4
#define NACRE_MAX_RANK 8
#define NACRE_MAX_ROWS 1048576
#define NACRE_NONE UINT32_C(0xffffffff)
#define NACRE_FIRST_OF_STEP 1u
#define NACRE_BACKWARD 2u
#define NACRE_OPTIONAL 1u

/* What a region holds. */
enum {
    NACRE_REGION_SCRATCH = 0, /* activations; their content is lost between runs */
    NACRE_REGION_PERSISTENT = 1, /* variables; kept from run to run, zeroed by a reset */
    NACRE_REGION_CONSTANT = 2, /* constants in the file, read in place */
    NACRE_REGION_STAGED = 3, /* constants that `prepare` copies from the file into an arena */
    NACRE_REGION_UNPACKED = 4, /* constants that actions unpack into an arena */
};

/* What an action does. */
enum {
    NACRE_ACTION_CALL = 0, /* call a kernel */
    NACRE_ACTION_UNPACK = 1, /* unpack a block of constants */
    NACRE_ACTION_MOVE = 2, /* copy rows */
    NACRE_ACTION_BOX = 3, /* copy a box; in loops only */
    NACRE_ACTION_LOOP = 4, /* run the actions of a loop for all of its tiles */
};

/* Element types of inputs and outputs. */
enum {
    NACRE_TYPE_BOOL = 0, /* 1 byte */
    NACRE_TYPE_INT8 = 1, /* 1 byte */
    NACRE_TYPE_UINT8 = 2, /* 1 byte */
    NACRE_TYPE_INT16 = 3, /* 2 bytes */
    NACRE_TYPE_UINT16 = 4, /* 2 bytes */
    NACRE_TYPE_INT32 = 5, /* 4 bytes */
    NACRE_TYPE_UINT32 = 6, /* 4 bytes */
    NACRE_TYPE_INT64 = 7, /* 8 bytes */
    NACRE_TYPE_UINT64 = 8, /* 8 bytes */
    NACRE_TYPE_FLOAT16 = 9, /* 2 bytes */
    NACRE_TYPE_FLOAT32 = 10, /* 4 bytes */
    NACRE_TYPE_FLOAT64 = 11, /* 8 bytes */
    NACRE_TYPE_COMPLEX64 = 12, /* 8 bytes: real, imaginary */
};

/* What the runtime's functions return. */
enum {
    NACRE_STATUS_OK = 0, /* ok */
    NACRE_STATUS_NULL = 1, /* an argument is NULL */
    NACRE_STATUS_TOO_SHORT = 2, /* the file is shorter than its header says */
    NACRE_STATUS_NOT_A_PLAN = 3, /* the file does not begin as a plan does */
    NACRE_STATUS_MAJOR_VERSION = 4, /* the file has another major version */
    NACRE_STATUS_CHECKSUM = 5, /* the checksum does not match: the file is damaged */
    NACRE_STATUS_FILE_MISALIGNED = 6, /* the file is not mapped at an aligned address */
    NACRE_STATUS_BAD_HEADER = 7, /* the header has a number out of range */
    NACRE_STATUS_BAD_SECTION = 8, /* a section is out of bounds, misaligned, twice or overlaps */
    NACRE_STATUS_UNKNOWN_SECTION = 9, /* a section that is not optional is not known */
    NACRE_STATUS_MISSING_SECTION = 10, /* a section that is needed is missing */
    NACRE_STATUS_BAD_REGION = 11, /* a region is out of bounds, misaligned or overlaps */
    NACRE_STATUS_BAD_VARIABLE = 12, /* a variable's first value is out of bounds */
    NACRE_STATUS_BAD_TENSOR = 13, /* an input or output is out of bounds, or its sizes disagree */
    NACRE_STATUS_BAD_NAME = 14, /* a name does not end */
    NACRE_STATUS_MISSING_KERNEL = 15, /* the firmware does not have a kernel that the plan needs */
    NACRE_STATUS_TOO_MANY_KERNELS = 16, /* more kernels than the runtime was built for */
    NACRE_STATUS_BAD_SEGMENT = 17, /* a segment or loop has actions out of bounds */
    NACRE_STATUS_BAD_ACTION = 18, /* an action is of an unknown kind or has a number out of range */
    NACRE_STATUS_BAD_ARGUMENTS = 19, /* the arguments of a call are out of bounds or misaligned */
    NACRE_STATUS_BAD_ROWS = 20, /* the rows of an action are out of order */
    NACRE_STATUS_BAD_PARAMETERS = 21, /* the parameters of a call are not possible */
    NACRE_STATUS_OUT_OF_BOUNDS = 22, /* a call would reach beyond a region, or write constants */
    NACRE_STATUS_OVERLAP = 23, /* the operands of a call overlap in a way that it does not allow */
    NACRE_STATUS_BAD_TABLE = 24, /* a table of a call holds values out of range */
    NACRE_STATUS_BAD_BLOCK = 25, /* a packed block is out of bounds */
    NACRE_STATUS_DAMAGED_BLOCK = 26, /* a packed block cannot be unpacked */
    NACRE_STATUS_BAD_MOVE = 27, /* a move is out of bounds */
    NACRE_STATUS_NOT_OPEN = 30, /* the plan is not open */
    NACRE_STATUS_NOT_PREPARED = 31, /* the plan has no arenas yet */
    NACRE_STATUS_MISSING_ARENA = 32, /* an arena that the plan needs was not given */
    NACRE_STATUS_ARENA_TOO_SMALL = 33, /* an arena is smaller than the plan needs */
    NACRE_STATUS_ARENA_MISALIGNED = 34, /* an arena is not aligned as the plan needs */
    NACRE_STATUS_ARENA_OVERLAP = 35, /* two arenas, or an arena and the file, overlap */
    NACRE_STATUS_NO_TENSOR = 36, /* no input or output has this number */
    NACRE_STATUS_NO_CALLBACK = 37, /* rows come from or go to the caller, who has no callback */
    NACRE_STATUS_STOPPED = 38, /* a callback returned a status other than 0 */
};

/* Kinds of sections. */
enum {
    NACRE_SECTION_KERNELS = 1,
    NACRE_SECTION_NAMES = 2,
    NACRE_SECTION_REGIONS = 3,
    NACRE_SECTION_VARIABLES = 4,
    NACRE_SECTION_TENSORS = 5,
    NACRE_SECTION_SEGMENTS = 6,
    NACRE_SECTION_ACTIONS = 7,
    NACRE_SECTION_ARGUMENTS = 8,
    NACRE_SECTION_PARAMS = 9,
    NACRE_SECTION_ENDS = 10,
    NACRE_SECTION_BLOCKS = 11,
    NACRE_SECTION_CONSTANTS = 12,
    NACRE_SECTION_PACKED = 13,
    NACRE_SECTION_MOVES = 14,
    NACRE_SECTION_BOXES = 15,
    NACRE_SECTION_LOOPS = 16,
    NACRE_SECTION_STRINGS = 64,
    NACRE_SECTION_STEPS = 65,
    NACRE_SECTION_ABOUT = 66,
};

/* The first bytes of the file: what it is and what it needs. */
typedef struct {
    uint32_t magic; /* the characters N C R and the byte 0x1a */
    uint32_t version; /* major << 16 | minor; a reader refuses another major version */
    uint32_t file_bytes; /* size of the whole file */
    uint32_t crc; /* CRC-32 (polynomial 0xEDB88320) of the file with this word as zero */
    uint32_t section_count; /* section records that follow the header */
    uint32_t kernel_count; /* distinct kernels that the firmware must have */
    uint32_t file_alignment; /* alignment in bytes of the address at which the file is mapped */
    uint32_t arena_alignment; /* alignment in bytes of every arena */
    uint32_t arena_bytes[4]; /* size of each arena, fastest first; 0 where there is none */
    uint32_t fast_reserved; /* prefix of the first arena that holds unpacked constants */
    uint32_t plan_hash[2]; /* hash of the arenas, as in the residency report; low word first */
    uint32_t flags; /* 0 */
} nacre_plan_header_t;

/* Where a section is; the table of these follows the header. */
typedef struct {
    uint32_t kind; /* which section */
    uint32_t flags; /* 1: optional, a reader that does not know it goes on */
    uint32_t offset; /* first byte in the file, a multiple of 16 */
    uint32_t bytes; /* size without padding */
} nacre_plan_section_t;

/* A kernel that actions call; its number is its place in this table. */
typedef struct {
    uint32_t name; /* offset of its name in the section of names */
} nacre_plan_kernel_t;

/* A run of bytes that pointers count from; its number is its place in this table. */
typedef struct {
    uint32_t kind; /* what it holds, and who may write it */
    uint32_t arena; /* the arena that it lies in; 0 for constants in the file */
    uint32_t offset; /* first byte in the arena, or in the file for constants in the file */
    uint32_t bytes; /* size */
    uint32_t source; /* staged constants: first byte in the file; else 0 */
} nacre_plan_region_t;

/* A variable that does not start at zero: copied when the state is reset. */
typedef struct {
    uint32_t region; /* a persistent region */
    uint32_t offset; /* first byte in that region */
    uint32_t bytes; /* size */
    uint32_t source_region; /* a region of constants */
    uint32_t source_offset; /* first byte in that region */
} nacre_plan_variable_t;

/* An input or output of the network. */
typedef struct {
    uint32_t role; /* 0 input, 1 output */
    uint32_t region; /* where it lies, or 0xFFFFFFFF: rows go through the caller's callbacks */
    uint32_t offset; /* first byte in that region */
    uint32_t bytes; /* size: the product of its dimensions and its element size */
    uint32_t type; /* element type */
    uint32_t rank; /* number of dimensions */
    uint32_t dims[8]; /* dimensions, outermost first; 1 behind the last */
    float scale; /* real value = scale * (q - zero_point); 0 where not quantized */
    int32_t zero_point; /* see scale */
    uint32_t name; /* offset of its name in the section of strings, or 0xFFFFFFFF */
} nacre_plan_tensor_t;

/* Actions that repeat together; segments run one after another. */
typedef struct {
    uint32_t first; /* its first action */
    uint32_t count; /* number of its actions */
    uint32_t iterations; /* how often they run, one after another */
} nacre_plan_segment_t;

/* One thing to do. */
typedef struct {
    uint32_t kind; /* what to do */
    uint32_t flags; /* 1: the first action of a step; 2: rows are walked last to first */
    uint32_t target; /* the kernel, block, move, box or loop, by its number */
    uint32_t arguments; /* call: first word of its arguments */
    uint32_t ends; /* first word of its row ends, one per iteration, or 0xFFFFFFFF for all rows */
    uint32_t step; /* the step that it belongs to */
} nacre_plan_action_t;

/* Constants in LZ4 block format that an action unpacks. */
typedef struct {
    uint32_t source; /* first packed byte in the file */
    uint32_t packed; /* packed size in bytes */
    uint32_t region; /* a region of unpacked constants */
    uint32_t offset; /* first byte in that region */
    uint32_t bytes; /* unpacked size in bytes */
} nacre_plan_block_t;

/* Rows copied between two places; row r lies at r % ring. */
typedef struct {
    uint32_t source; /* pointer, or 0xFFFFFFFF: rows come from the caller */
    uint32_t source_ring; /* rows that the source holds */
    uint32_t destination; /* pointer, or 0xFFFFFFFF: rows go to the caller */
    uint32_t destination_ring; /* rows that the destination holds */
    uint32_t row_bytes; /* size of a row */
    uint32_t rows; /* rows in all */
    uint32_t tensor; /* input or output of a move from or to the caller: its number in its role */
} nacre_plan_move_t;

/* A box of a tensor copied to or from a tile. Line l of plane p of the tile (row, column) starts
 * at offset + row * row_step + column * column_step + p * plane_pitch + l * line_pitch of the
 * tensor; in the tile lines follow each other. */
typedef struct {
    uint32_t whole; /* pointer to the tensor, with its offset */
    uint32_t tile; /* pointer to the tile */
    uint32_t store; /* 0: from the tensor to the tile, 1: back */
    uint32_t row_step; /* bytes from a row of tiles to the next */
    uint32_t column_step; /* bytes from a column of tiles to the next */
    uint32_t planes; /* planes of a tile */
    uint32_t lines; /* lines of a plane */
    uint32_t line_bytes; /* bytes of a line */
    uint32_t plane_pitch; /* bytes from a plane to the next */
    uint32_t line_pitch; /* bytes from a line to the next */
} nacre_plan_box_t;

/* Actions that run once for every tile; calls, boxes and blocks only. */
typedef struct {
    uint32_t first; /* its first action, behind those of all segments */
    uint32_t count; /* number of its actions */
    uint32_t rows; /* rows of tiles */
    uint32_t columns; /* columns of tiles */
} nacre_plan_loop_t;

/* What a step is: for people and profiles. */
typedef struct {
    uint32_t type; /* operator type: offset in the section of strings */
    uint32_t name; /* name: offset in the section of strings */
    uint32_t macs[2]; /* multiply-accumulates; low word first */
} nacre_plan_step_t;

/* Where the file comes from, as offsets in the section of strings. */
typedef struct {
    uint32_t name; /* name of the network */
    uint32_t source; /* file name of the model */
    uint32_t target; /* target that it was compiled for */
    uint32_t generator; /* the compiler's name and version */
} nacre_plan_about_t;

#endif
