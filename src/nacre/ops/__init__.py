"""All operators, as one literal table. To add one: write its file, add its row here."""

from __future__ import annotations

from nacre.ir import Attributes, Operator
from nacre.ops.conv2d import CONV_2D
from nacre.ops.fully_connected import FULLY_CONNECTED
from nacre.ops.kind import ImportRule, OpKind
from nacre.ops.pool import AVERAGE_POOL_2D, L2_POOL_2D, MAX_POOL_2D

TABLE: tuple[OpKind, ...] = (
    CONV_2D,
    AVERAGE_POOL_2D,
    MAX_POOL_2D,
    L2_POOL_2D,
    FULLY_CONNECTED,
)

BY_ATTRIBUTES: dict[type[Attributes], OpKind] = {kind.attributes: kind for kind in TABLE}
TFLITE_RULES: dict[str, tuple[OpKind, ImportRule]] = {
    name: (kind, rule) for kind in TABLE for name, rule in kind.tflite.items()
}


def kind_of(operator: Operator) -> OpKind:
    """The row of an operator: its attributes' class decides."""
    return BY_ATTRIBUTES[type(operator.attributes)]
