# SPDX-License-Identifier: Apache-2.0
"""The golden model of Openwafer from Python: NumPy arrays in and out, no build.

    import openwafer_golden as golden
    golden.apply("fma", "f16", a, b, c)        # encodings as uint16 or uint32 arrays
    golden.convert("f32", "f16", x)

The library libopenwafer_golden.so is looked for in $OPENWAFER_GOLDEN, then where this file was installed,
then where the loader looks. openwafer/golden.h says what each function computes. An error is a ValueError.
"""
import ctypes
import os
import pathlib

import numpy

_NAME = "libopenwafer_golden.so"


def _load():
    named = os.environ.get("OPENWAFER_GOLDEN")
    if named:
        return ctypes.CDLL(named)
    for prefix in pathlib.Path(__file__).resolve().parents:
        for path in sorted(prefix.glob("lib*/" + _NAME)) + sorted(prefix.glob("lib/*/" + _NAME)):
            return ctypes.CDLL(str(path))
    return ctypes.CDLL(_NAME)


_lib = _load()
_lib.ow_golden_error.restype = ctypes.c_char_p
_lib.ow_golden_version.restype = ctypes.c_char_p
_lib.ow_golden_network_new.restype = ctypes.c_void_p
_lib.ow_golden_parameter_name.restype = ctypes.c_char_p
_lib.ow_golden_loss.restype = ctypes.c_double
_lib.ow_golden_stream.restype = ctypes.c_long
_lib.ow_golden_step.restype = ctypes.c_uint64

INTERFACE = 1
if _lib.ow_golden_interface() != INTERFACE:
    raise ImportError(f"{_NAME} has interface {_lib.ow_golden_interface()}, this module {INTERFACE}")
version = _lib.ow_golden_version().decode()

_WIDE = ("f32", "i32")


def _check(status):
    if status is None or status < 0:
        raise ValueError(_lib.ow_golden_error().decode())
    return status


def _op(name):
    return ctypes.c_int(_lib.ow_golden_op(name.encode()))


def _type(name):
    return ctypes.c_int(_lib.ow_golden_type(name.encode()))


def _words(x, shape=None):
    """Encodings as the library takes them; a shorter array is repeated to `shape`."""
    x = numpy.asarray(x)
    if x.dtype.kind not in "ui":
        raise ValueError("operands are encodings: arrays of whole numbers")
    if shape is not None:
        x = numpy.broadcast_to(x, shape)
    return numpy.ascontiguousarray(x.astype(numpy.uint32))


def _at(array):
    return None if array is None else array.ctypes.data_as(ctypes.c_void_p)


def _narrow(x, result):
    """The least type that holds the encodings of `result`."""
    return x if result in _WIDE else x.astype(numpy.uint8 if result == "i8" else numpy.uint16)


def _result(type_name):
    return "f32" if type_name in ("mixed", "mixedb") else type_name


def apply(op, type, a, b=None, c=None):
    """op of each element; b and c may be single numbers."""
    a = _words(a)
    b = None if b is None else _words(b, a.shape)
    c = None if c is None else _words(c, a.shape)
    out = numpy.empty_like(a)
    _check(_lib.ow_golden_apply(_op(op), _type(type), ctypes.c_size_t(a.size), _at(a), _at(b), _at(c), _at(out)))
    return _narrow(out, _result(type))


def convert(from_type, to_type, a):
    a = _words(a)
    out = numpy.empty_like(a)
    _check(_lib.ow_golden_convert(_type(from_type), _type(to_type), ctypes.c_size_t(a.size), _at(a), _at(out)))
    return _narrow(out, to_type)


def convert_stochastic(to_type, a, state):
    """`state`: an array of four uint32, which goes on."""
    a = _words(a)
    out = numpy.empty_like(a)
    _check(_lib.ow_golden_convert_stochastic(_type(to_type), ctypes.c_size_t(a.size), _at(a), _at(_state(state)),
                                             _at(out)))
    return _narrow(out, to_type)


def _state(state):
    if state.dtype != numpy.uint32 or state.shape != (4,) or not state.flags.c_contiguous:
        raise ValueError("the state of a generator is an array of four uint32")
    return state


def reduce(op, type, result, a, b=None):
    a = _words(a).ravel()
    b = None if b is None else _words(b, a.shape)
    out = numpy.zeros(1, numpy.uint32)
    _check(_lib.ow_golden_reduce(_op(op), _type(type), _type(result), ctypes.c_size_t(a.size), _at(a), _at(b),
                                 _at(out)))
    return int(out[0])


def form(name, a, steps=2):
    a = _words(a)
    out = numpy.empty_like(a)
    _check(_lib.ow_golden_form(name.encode(), ctypes.c_int(steps), ctypes.c_size_t(a.size), _at(a), _at(out)))
    return out


def elementary(name, x):
    x = numpy.ascontiguousarray(x, numpy.float64)
    out = numpy.empty_like(x)
    _check(_lib.ow_golden_elementary(name.encode(), ctypes.c_size_t(x.size), _at(x), _at(out)))
    return out


def tile_random(state, n):
    out = numpy.empty(n, numpy.uint32)
    _check(_lib.ow_golden_tile_random(_at(_state(state)), ctypes.c_size_t(n), _at(out)))
    return out


def host_random(seed, n):
    out = numpy.empty(n, numpy.uint64)
    _check(_lib.ow_golden_host_random(ctypes.c_uint64(seed), ctypes.c_size_t(n), _at(out)))
    return out


def token(logits, temperature=0.0, top_k=0, top_p=1.0, seed=0, answer=0, position=0):
    logits = _words(logits).ravel()
    return _check(_lib.ow_golden_token(_at(logits), ctypes.c_size_t(logits.size), ctypes.c_double(temperature),
                                       ctypes.c_int(top_k), ctypes.c_double(top_p), ctypes.c_uint64(seed),
                                       ctypes.c_uint64(answer), ctypes.c_int(position)))


class _Numerics(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("rows", ctypes.c_int), ("columns", ctypes.c_int),
                ("samples", ctypes.c_int), ("whole", ctypes.c_int), ("micro_batches", ctypes.c_int),
                ("seed", ctypes.c_uint64), ("loss_scale", ctypes.c_float), ("adamw", ctypes.c_int),
                ("rate", ctypes.c_double), ("weight_decay", ctypes.c_double), ("momentum", ctypes.c_double),
                ("beta1", ctypes.c_double), ("beta2", ctypes.c_double), ("epsilon", ctypes.c_double),
                ("max_norm", ctypes.c_double)]


class Network:
    """A graph of layers with its training. `numerics` are the fields of ow_golden_numerics, such as rows=2.

        net = Network(8, type="f16", rows=2, samples=4, rate=0.1)
        net.add("fc", "linear", "input", outputs=6)
        net.add("loss", "mean_squared_error", "fc,targets")
        net.begin()
        net.run(x, values=y)
        net.output("fc"), net.partial_sums("fc"), net.gradient("fc.weight")
    """

    def __init__(self, features, type="f16", **numerics):
        n = _Numerics(type=_lib.ow_golden_type(type.encode()), **numerics)
        self._samples = max(1, n.samples) * max(1, n.columns)
        self._sum_rows = 1 if n.whole else max(1, n.rows)
        self._features = features
        self._self = None
        pointer = _lib.ow_golden_network_new(ctypes.byref(n), ctypes.c_int(features))
        if not pointer:
            raise ValueError(_lib.ow_golden_error().decode())
        self._self = ctypes.c_void_p(pointer)
        self._names = {}

    def __del__(self):
        if getattr(self, "_self", None):
            _lib.ow_golden_network_free(self._self)

    def add(self, name, kind, inputs, **options):
        keys = (ctypes.c_char_p * len(options))(*(key.encode() for key in options))
        values = (ctypes.c_double * len(options))(*(float(value) for value in options.values()))
        _check(_lib.ow_golden_network_add(self._self, name.encode(), kind.encode(), inputs.encode(),
                                          ctypes.c_size_t(len(options)), keys, values))

    def masks(self, pattern, algorithm="static", init="random", start=1.0, end=1.0, steps=1, every=1):
        _check(_lib.ow_golden_network_masks(self._self, pattern.encode(), algorithm.encode(), init.encode(),
                                            ctypes.c_double(start), ctypes.c_double(end), ctypes.c_uint64(steps),
                                            ctypes.c_uint64(every)))

    def begin(self):
        _check(_lib.ow_golden_network_begin(self._self))
        self._names = {_lib.ow_golden_parameter_name(self._self, ctypes.c_int(k)).decode(): k
                       for k in range(_check(_lib.ow_golden_parameters(self._self)))}

    @property
    def parameters(self):
        return list(self._names)

    def _shaped(self, name, dtype):
        if name not in self._names:
            raise ValueError(f"no parameter '{name}'")
        number = ctypes.c_int(self._names[name])
        rows, columns = ctypes.c_size_t(), ctypes.c_size_t()
        _check(_lib.ow_golden_parameter_shape(self._self, number, ctypes.byref(rows), ctypes.byref(columns)))
        return number, numpy.empty((rows.value, columns.value), dtype)

    def parameter(self, name, what="value"):
        number, out = self._shaped(name, numpy.float32)
        _check(_lib.ow_golden_parameter_get(self._self, number, what.encode(), _at(out)))
        return out

    def set_parameter(self, name, values):
        number, out = self._shaped(name, numpy.float32)
        out[...] = numpy.asarray(values).reshape(out.shape)
        _check(_lib.ow_golden_parameter_set(self._self, number, _at(out)))

    def gradient(self, name):
        return self.parameter(name, "gradient")

    def mask(self, name):
        number, out = self._shaped(name, numpy.uint8)
        _check(_lib.ow_golden_parameter_mask(self._self, number, _at(out)))
        return out

    def run(self, x=None, tokens=None, starts=None, classes=None, values=None):
        def array(given, dtype, shape):
            if given is None:
                return None
            out = numpy.ascontiguousarray(given, dtype)
            if shape is not None and out.shape != shape:
                raise ValueError(f"an array of {out.shape} must be {shape}")
            return out
        x = array(x, numpy.uint16, (self._features, self._samples))
        tokens = array(tokens, numpy.int32, (self._samples,))
        starts = array(starts, numpy.int32, (self._samples // 8,))
        classes = array(classes, numpy.int32, (self._samples,))
        values = array(values, numpy.uint16, None)
        if values is not None and (values.ndim != 2 or values.shape[1] != self._samples):
            raise ValueError(f"values must be [outputs, {self._samples}]")
        _check(_lib.ow_golden_run(self._self, _at(x), _at(tokens), _at(starts), _at(classes), _at(values)))

    @property
    def loss(self):
        return _lib.ow_golden_loss(self._self)

    @property
    def step(self):
        return _lib.ow_golden_step(self._self)

    def _tensor(self, function, operation):
        features = _check(_lib.ow_golden_features(self._self, operation.encode()))
        out = numpy.empty((features, self._samples), numpy.uint16)
        _check(function(self._self, operation.encode(), _at(out)))
        return out

    def output(self, operation):
        return self._tensor(_lib.ow_golden_output, operation)

    def delta(self, operation):
        return self._tensor(_lib.ow_golden_delta, operation)

    def partial_sums(self, operation):
        features = _check(_lib.ow_golden_features(self._self, operation.encode()))
        out = numpy.empty((self._sum_rows, features, self._samples), numpy.uint32)
        _check(_lib.ow_golden_partial_sums(self._self, operation.encode(), _at(out)))
        return out

    def stream(self, operation, row):
        """The wavelets that enter a grid row: (data, control)."""
        name = operation.encode()
        count = _check(_lib.ow_golden_stream(self._self, name, ctypes.c_int(row), None, None))
        data, control = numpy.empty(count, numpy.uint32), numpy.empty(count, numpy.uint8)
        _check(_lib.ow_golden_stream(self._self, name, ctypes.c_int(row), _at(data), _at(control)))
        return data, control

    def update(self):
        """True if the parameters were updated, False if the step was skipped, None if micro-batches lack."""
        return {0: None, 1: True, 2: False}[_check(_lib.ow_golden_update(self._self))]
