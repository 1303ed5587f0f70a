"""The audio front end of TFLite Micro: custom operators on fixed-point signals and spectra."""

from __future__ import annotations

from nacre.ops.signal.filter_bank import SIGNAL_FILTER_BANK, SIGNAL_FILTER_BANK_SQUARE_ROOT
from nacre.ops.signal.gain import (
    SIGNAL_FILTER_BANK_LOG,
    SIGNAL_FILTER_BANK_SPECTRAL_SUBTRACTION,
    SIGNAL_PCAN,
)
from nacre.ops.signal.spectrum import SIGNAL_ENERGY, SIGNAL_RFFT
from nacre.ops.signal.window import SIGNAL_FFT_AUTO_SCALE, SIGNAL_WINDOW

__all__ = [
    "SIGNAL_ENERGY",
    "SIGNAL_FFT_AUTO_SCALE",
    "SIGNAL_FILTER_BANK",
    "SIGNAL_FILTER_BANK_LOG",
    "SIGNAL_FILTER_BANK_SPECTRAL_SUBTRACTION",
    "SIGNAL_FILTER_BANK_SQUARE_ROOT",
    "SIGNAL_PCAN",
    "SIGNAL_RFFT",
    "SIGNAL_WINDOW",
]
