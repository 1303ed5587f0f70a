"""What a plan file consists of: the one description that Python, C and the format page share.

Everything is little-endian. Records are made of 32-bit words, so that a C struct of the same
members has the same bytes. Sections begin at multiples of 16 bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

MAGIC = int.from_bytes(b"NCR\x1a", "little")
MAJOR = 1
MINOR = 0
SECTION_ALIGNMENT = 16
# A pointer word is a region number in the upper bits and an offset in bytes in the lower ones.
OFFSET_BITS = 28
MAX_REGIONS = 16
MAX_ARENAS = 4
MAX_RANK = 8
MAX_ROWS = 1 << 20
NONE = 0xFFFFFFFF


@dataclass(frozen=True)
class Field:
    """One or more words of a record. `type` is uint32_t, int32_t or float."""

    name: str
    type: str
    meaning: str
    count: int = 1


@dataclass(frozen=True)
class Record:
    """A fixed run of fields; in C `nacre_plan_<name>_t`."""

    name: str
    meaning: str
    fields: tuple[Field, ...]

    @property
    def words(self) -> int:
        return sum(f.count for f in self.fields)

    @property
    def bytes(self) -> int:
        return 4 * self.words


@dataclass(frozen=True)
class Choice:
    """A number with a name: `NACRE_<GROUP>_<NAME>` in C."""

    name: str
    number: int
    meaning: str


@dataclass(frozen=True)
class Choices:
    """The values that a field may have."""

    name: str
    meaning: str
    values: tuple[Choice, ...]

    def number(self, name: str) -> int:
        return next(c.number for c in self.values if c.name == name)

    def named(self, number: int) -> str | None:
        return next((c.name for c in self.values if c.number == number), None)


@dataclass(frozen=True)
class Section:
    """A part of the file: records of one type, or bytes where `record` is None."""

    name: str
    kind: int
    meaning: str
    record: Record | None = None
    # Readers that do not know an optional section skip it.
    optional: bool = False


def _u(name: str, meaning: str, count: int = 1) -> Field:
    return Field(name, "uint32_t", meaning, count)


HEADER = Record(
    "header",
    "The first bytes of the file: what it is and what it needs.",
    (
        _u("magic", "the characters N C R and the byte 0x1a"),
        _u("version", "major << 16 | minor; a reader refuses another major version"),
        _u("file_bytes", "size of the whole file"),
        _u("crc", "CRC-32 (polynomial 0xEDB88320) of the file with this word as zero"),
        _u("section_count", "section records that follow the header"),
        _u("kernel_count", "distinct kernels that the firmware must have"),
        _u("file_alignment", "alignment in bytes of the address at which the file is mapped"),
        _u("arena_alignment", "alignment in bytes of every arena"),
        _u("arena_bytes", "size of each arena, fastest first; 0 where there is none", MAX_ARENAS),
        _u("fast_reserved", "prefix of the first arena that holds unpacked constants"),
        _u("plan_hash", "hash of the arenas, as in the residency report; low word first", 2),
        _u("flags", "0"),
    ),
)
SECTION = Record(
    "section",
    "Where a section is; the table of these follows the header.",
    (
        _u("kind", "which section"),
        _u("flags", "1: optional, a reader that does not know it goes on"),
        _u("offset", "first byte in the file, a multiple of 16"),
        _u("bytes", "size without padding"),
    ),
)
KERNEL = Record(
    "kernel",
    "A kernel that actions call; its number is its place in this table.",
    (_u("name", "offset of its name in the section of names"),),
)
REGION = Record(
    "region",
    "A run of bytes that pointers count from; its number is its place in this table.",
    (
        _u("kind", "what it holds, and who may write it"),
        _u("arena", "the arena that it lies in; 0 for constants in the file"),
        _u("offset", "first byte in the arena, or in the file for constants in the file"),
        _u("bytes", "size"),
        _u("source", "staged constants: first byte in the file; else 0"),
    ),
)
VARIABLE = Record(
    "variable",
    "A variable that does not start at zero: copied when the state is reset.",
    (
        _u("region", "a persistent region"),
        _u("offset", "first byte in that region"),
        _u("bytes", "size"),
        _u("source_region", "a region of constants"),
        _u("source_offset", "first byte in that region"),
    ),
)
TENSOR = Record(
    "tensor",
    "An input or output of the network.",
    (
        _u("role", "0 input, 1 output"),
        _u("region", "where it lies, or 0xFFFFFFFF: rows go through the caller's callbacks"),
        _u("offset", "first byte in that region"),
        _u("bytes", "size: the product of its dimensions and its element size"),
        _u("type", "element type"),
        _u("rank", "number of dimensions"),
        _u("dims", "dimensions, outermost first; 1 behind the last", MAX_RANK),
        Field("scale", "float", "real value = scale * (q - zero_point); 0 where not quantized"),
        Field("zero_point", "int32_t", "see scale"),
        _u("name", "offset of its name in the section of strings, or 0xFFFFFFFF"),
    ),
)
SEGMENT = Record(
    "segment",
    "Actions that repeat together; segments run one after another.",
    (
        _u("first", "its first action"),
        _u("count", "number of its actions"),
        _u("iterations", "how often they run, one after another"),
    ),
)
ACTION = Record(
    "action",
    "One thing to do.",
    (
        _u("kind", "what to do"),
        _u("flags", "1: the first action of a step; 2: rows are walked last to first"),
        _u("target", "the kernel, block, move, box or loop, by its number"),
        _u("arguments", "call: first word of its arguments"),
        _u("ends", "first word of its row ends, one per iteration, or 0xFFFFFFFF for all rows"),
        _u("step", "the step that it belongs to"),
    ),
)
BLOCK = Record(
    "block",
    "Constants in LZ4 block format that an action unpacks.",
    (
        _u("source", "first packed byte in the file"),
        _u("packed", "packed size in bytes"),
        _u("region", "a region of unpacked constants"),
        _u("offset", "first byte in that region"),
        _u("bytes", "unpacked size in bytes"),
    ),
)
MOVE = Record(
    "move",
    "Rows copied between two places; row r lies at r % ring.",
    (
        _u("source", "pointer, or 0xFFFFFFFF: rows come from the caller"),
        _u("source_ring", "rows that the source holds"),
        _u("destination", "pointer, or 0xFFFFFFFF: rows go to the caller"),
        _u("destination_ring", "rows that the destination holds"),
        _u("row_bytes", "size of a row"),
        _u("rows", "rows in all"),
        _u("tensor", "input or output of a move from or to the caller: its number in its role"),
    ),
)
BOX = Record(
    "box",
    "A box of a tensor copied to or from a tile. Line l of plane p of the tile (row, column) "
    "starts at offset + row * row_step + column * column_step + p * plane_pitch + "
    "l * line_pitch of the tensor; in the tile lines follow each other.",
    (
        _u("whole", "pointer to the tensor, with its offset"),
        _u("tile", "pointer to the tile"),
        _u("store", "0: from the tensor to the tile, 1: back"),
        _u("row_step", "bytes from a row of tiles to the next"),
        _u("column_step", "bytes from a column of tiles to the next"),
        _u("planes", "planes of a tile"),
        _u("lines", "lines of a plane"),
        _u("line_bytes", "bytes of a line"),
        _u("plane_pitch", "bytes from a plane to the next"),
        _u("line_pitch", "bytes from a line to the next"),
    ),
)
LOOP = Record(
    "loop",
    "Actions that run once for every tile; calls, boxes and blocks only.",
    (
        _u("first", "its first action, behind those of all segments"),
        _u("count", "number of its actions"),
        _u("rows", "rows of tiles"),
        _u("columns", "columns of tiles"),
    ),
)
STEP = Record(
    "step",
    "What a step is: for people and profiles.",
    (
        _u("type", "operator type: offset in the section of strings"),
        _u("name", "name: offset in the section of strings"),
        _u("macs", "multiply-accumulates; low word first", 2),
    ),
)
ABOUT = Record(
    "about",
    "Where the file comes from, as offsets in the section of strings.",
    (
        _u("name", "name of the network"),
        _u("source", "file name of the model"),
        _u("target", "target that it was compiled for"),
        _u("generator", "the compiler's name and version"),
    ),
)

SECTIONS = (
    Section("kernels", 1, "The kernels that are called.", KERNEL),
    Section("names", 2, "Kernel names, each ended by a zero byte."),
    Section("regions", 3, "The regions, at most 16.", REGION),
    Section("variables", 4, "First values of variables; all other state starts at zero.", VARIABLE),
    Section("tensors", 5, "Inputs, then outputs.", TENSOR),
    Section("segments", 6, "The segments in order.", SEGMENT),
    Section("actions", 7, "The actions of all segments, then those of loops.", ACTION),
    Section("arguments", 8, "Words: the arguments of calls in the order of the C prototypes. "
            "A pointer is one word, a parameter struct the offset of its bytes in the section of "
            "parameters, a row window two words (begin, end), a number one word."),
    Section("params", 9, "Parameter structs as the kernels' C headers declare them."),
    Section("ends", 10, "Words: iteration i does rows [ends[i - 1], ends[i]), ends[-1] = 0."),
    Section("blocks", 11, "Packed constants.", BLOCK),
    Section("constants", 12, "Bytes of constants that are read in place or staged."),
    Section("packed", 13, "Bytes of packed constants."),
    Section("moves", 14, "Row moves.", MOVE),
    Section("boxes", 15, "Box moves.", BOX),
    Section("loops", 16, "Loops over tiles.", LOOP),
    Section("strings", 64, "Names for people, each ended by a zero byte.", None, True),
    Section("steps", 65, "One record per step.", STEP, True),
    Section("about", 66, "One record.", ABOUT, True),
)  # fmt: skip

REGION_KINDS = Choices(
    "region",
    "What a region holds.",
    (
        Choice("scratch", 0, "activations; their content is lost between runs"),
        Choice("persistent", 1, "variables; kept from run to run, zeroed by a reset"),
        Choice("constant", 2, "constants in the file, read in place"),
        Choice("staged", 3, "constants that `prepare` copies from the file into an arena"),
        Choice("unpacked", 4, "constants that actions unpack into an arena"),
    ),
)
ACTION_KINDS = Choices(
    "action",
    "What an action does.",
    (
        Choice("call", 0, "call a kernel"),
        Choice("unpack", 1, "unpack a block of constants"),
        Choice("move", 2, "copy rows"),
        Choice("box", 3, "copy a box; in loops only"),
        Choice("loop", 4, "run the actions of a loop for all of its tiles"),
    ),
)
TYPES = Choices(
    "type",
    "Element types of inputs and outputs.",
    (
        Choice("bool", 0, "1 byte"),
        Choice("int8", 1, "1 byte"),
        Choice("uint8", 2, "1 byte"),
        Choice("int16", 3, "2 bytes"),
        Choice("uint16", 4, "2 bytes"),
        Choice("int32", 5, "4 bytes"),
        Choice("uint32", 6, "4 bytes"),
        Choice("int64", 7, "8 bytes"),
        Choice("uint64", 8, "8 bytes"),
        Choice("float16", 9, "2 bytes"),
        Choice("float32", 10, "4 bytes"),
        Choice("float64", 11, "8 bytes"),
        Choice("complex64", 12, "8 bytes: real, imaginary"),
    ),
)
STATUSES = Choices(
    "status",
    "What the runtime's functions return.",
    (
        Choice("ok", 0, "ok"),
        Choice("null", 1, "an argument is NULL"),
        Choice("too_short", 2, "the file is shorter than its header says"),
        Choice("not_a_plan", 3, "the file does not begin as a plan does"),
        Choice("major_version", 4, "the file has another major version"),
        Choice("checksum", 5, "the checksum does not match: the file is damaged"),
        Choice("file_misaligned", 6, "the file is not mapped at an aligned address"),
        Choice("bad_header", 7, "the header has a number out of range"),
        Choice("bad_section", 8, "a section is out of bounds, misaligned, twice or overlaps"),
        Choice("unknown_section", 9, "a section that is not optional is not known"),
        Choice("missing_section", 10, "a section that is needed is missing"),
        Choice("bad_region", 11, "a region is out of bounds, misaligned or overlaps"),
        Choice("bad_variable", 12, "a variable's first value is out of bounds"),
        Choice("bad_tensor", 13, "an input or output is out of bounds, or its sizes disagree"),
        Choice("bad_name", 14, "a name does not end"),
        Choice("missing_kernel", 15, "the firmware does not have a kernel that the plan needs"),
        Choice("too_many_kernels", 16, "more kernels than the runtime was built for"),
        Choice("bad_segment", 17, "a segment or loop has actions out of bounds"),
        Choice("bad_action", 18, "an action is of an unknown kind or has a number out of range"),
        Choice("bad_arguments", 19, "the arguments of a call are out of bounds or misaligned"),
        Choice("bad_rows", 20, "the rows of an action are out of order"),
        Choice("bad_parameters", 21, "the parameters of a call are not possible"),
        Choice("out_of_bounds", 22, "a call would reach beyond a region, or write constants"),
        Choice("overlap", 23, "the operands of a call overlap in a way that it does not allow"),
        Choice("bad_table", 24, "a table of a call holds values out of range"),
        Choice("bad_block", 25, "a packed block is out of bounds"),
        Choice("damaged_block", 26, "a packed block cannot be unpacked"),
        Choice("bad_move", 27, "a move is out of bounds"),
        Choice("not_open", 30, "the plan is not open"),
        Choice("not_prepared", 31, "the plan has no arenas yet"),
        Choice("missing_arena", 32, "an arena that the plan needs was not given"),
        Choice("arena_too_small", 33, "an arena is smaller than the plan needs"),
        Choice("arena_misaligned", 34, "an arena is not aligned as the plan needs"),
        Choice("arena_overlap", 35, "two arenas, or an arena and the file, overlap"),
        Choice("no_tensor", 36, "no input or output has this number"),
        Choice("no_callback", 37, "rows come from or go to the caller, who has no callback"),
        Choice("stopped", 38, "a callback returned a status other than 0"),
    ),
)
ALL_CHOICES = (REGION_KINDS, ACTION_KINDS, TYPES, STATUSES)


def section(name: str) -> Section:
    return next(s for s in SECTIONS if s.name == name)
