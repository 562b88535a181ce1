/* The Python side of the scanner: `Scanner`, fed with text, and `Column`, the memory of one of its columns. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "nesting.h"
#include "scan.h"

typedef struct {
    PyObject_HEAD
    void *data;
    Py_ssize_t count, width;
    const char *format;
} Column;

typedef struct {
    PyObject_HEAD
    PyObject *answer;
    PyTypeObject *column_type;
    PyThreadState *released; /* while the GIL is */
    int busy;
    Rows rows;
} Scanner;

static void column_dealloc(Column *self) {
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    free(self->data);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

static int column_getbuffer(Column *self, Py_buffer *view, int flags) {
    static char nowhere;
    view->obj = Py_NewRef((PyObject *)self);
    view->buf = self->data ? self->data : &nowhere;
    view->len = self->count * self->width;
    view->itemsize = self->width;
    view->readonly = 0;
    view->ndim = 1;
    view->format = flags & PyBUF_FORMAT ? (char *)self->format : NULL;
    view->shape = flags & PyBUF_ND ? &self->count : NULL;
    view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? &self->width : NULL;
    view->suboffsets = NULL;
    view->internal = NULL;
    return 0;
}

static PyType_Slot column_slots[] = {
    {Py_tp_doc, "The bytes of one column."},
    {Py_tp_dealloc, column_dealloc},
    {Py_bf_getbuffer, column_getbuffer},
    {0, NULL},
};

static PyType_Spec column_spec = {"tb_plugin_explain.trace._scan.Column", sizeof(Column), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, column_slots};

/* Asks Python what a spelling means; called while the GIL is released. */
static int32_t ask(void *who, int question, const Spelling *spelling) {
    Scanner *self = who;
    long meaning = -1;
    PyEval_RestoreThread(self->released);
    PyObject *given = PyObject_CallFunction(self->answer, "iy#y#i", question, (const char *)spelling->a.begin,
                                            (Py_ssize_t)spelling->a.size, (const char *)spelling->b.begin,
                                            (Py_ssize_t)spelling->b.size, (int)spelling->context);
    if (given) {
        meaning = PyLong_AsLong(given);
        Py_DECREF(given);
        if (!PyErr_Occurred() && (meaning < 0 || meaning > INT32_MAX))
            PyErr_SetString(PyExc_ValueError, "a meaning is a number from 0 on");
    }
    int failed = PyErr_Occurred() != NULL;
    self->released = PyEval_SaveThread();
    return failed ? -1 : (int32_t)meaning;
}

static PyObject *scan_result(const Scan *scan, const uint8_t *begin) {
    PyObject *asides = PyList_New((Py_ssize_t)scan->aside_count);
    for (size_t i = 0; asides && i < scan->aside_count; i++) {
        const int64_t *a = scan->asides + 3 * i;
        PyObject *aside = Py_BuildValue("(LLL)", (long long)a[0], (long long)a[1], (long long)a[2]);
        if (!aside || PyList_SetItem(asides, (Py_ssize_t)i, aside))
            Py_CLEAR(asides);
    }
    if (!asides)
        return NULL;
    return Py_BuildValue("(nLNN)", (Py_ssize_t)(scan->position - begin), (long long)scan->entries,
                         PyBool_FromLong(scan->unclear), asides);
}

PyDoc_STRVAR(scan_doc,
             "scan(text, first_ordinal, /) -> (taken, entries, unclear, asides)\n\n"
             "Takes whole entries from the start of `text` on, each with the comma behind it.\n\n"
             "text: bytes or bytearray, at an entry of traceEvents. first_ordinal: that entry's number.\n"
             "taken: bytes, up to the next entry. entries: how many that were. unclear: whether the next\n"
             "entry is for Python to read; else more text is needed. asides: (begin, end, ordinal) of\n"
             "the entries among those taken that give no row: begins and ends of pairs.");

static PyObject *scanner_scan(Scanner *self, PyObject *args) {
    PyObject *given;
    long long first_ordinal;
    if (!PyArg_ParseTuple(args, "OL", &given, &first_ordinal))
        return NULL;
    /* Of other objects it is not known that a NUL byte follows, which json.h needs. */
    if (!PyBytes_Check(given) && !PyByteArray_Check(given))
        return PyErr_Format(PyExc_TypeError, "text is bytes or a bytearray");
    if (self->busy)
        return PyErr_Format(PyExc_RuntimeError, "this scanner is scanning already");
    Py_buffer view;
    if (PyObject_GetBuffer(given, &view, PyBUF_SIMPLE))
        return NULL;
    Scan scan = {0};
    PyObject *result = NULL;
    self->busy = 1;
    self->released = PyEval_SaveThread();
    scan_text(&self->rows, view.buf, (size_t)view.len, first_ordinal, &scan);
    PyEval_RestoreThread(self->released);
    self->busy = 0;
    if (scan.outcome == ROW_NO_MEMORY)
        PyErr_NoMemory();
    else if (scan.outcome != ROW_FAILED)
        result = scan_result(&scan, view.buf);
    free(scan.asides);
    PyBuffer_Release(&view);
    return result;
}

/* Moves the memory of a column into an object of its own, and into the dict. */
static int give_column(Scanner *self, PyObject *columns, const char *name, void **data, size_t count,
                       size_t width, const char *format) {
    allocfunc allocate = (allocfunc)PyType_GetSlot(self->column_type, Py_tp_alloc);
    Column *column = (Column *)allocate(self->column_type, 0);
    if (!column)
        return -1;
    column->data = *data;
    column->count = (Py_ssize_t)count;
    column->width = (Py_ssize_t)width;
    column->format = format;
    *data = NULL;
    int failed = PyDict_SetItemString(columns, name, (PyObject *)column);
    Py_DECREF(column);
    return failed;
}

/* The struct module's letters for the types of columns. */
#define FORMAT_int64_t "q"
#define FORMAT_int32_t "i"
#define FORMAT_uint8_t "B"
#define FORMAT_float "f"

PyDoc_STRVAR(take_doc, "take() -> dict\n\nThe columns by name, as memory; the scanner is left with none.");

static PyObject *scanner_take(Scanner *self, PyObject *ignored) {
    (void)ignored;
    if (self->busy)
        return PyErr_Format(PyExc_RuntimeError, "this scanner is scanning");
    Table *table = &self->rows.table;
    PyObject *columns = PyDict_New();
#define GIVE(group, name, type) \
    if (columns && give_column(self, columns, #name, (void **)&table->name, table->count[group], sizeof(type), \
                               FORMAT_##type))                                                           \
        Py_CLEAR(columns);
    COLUMN_LIST(GIVE)
#undef GIVE
    memset(table->count, 0, sizeof table->count);
    memset(table->capacity, 0, sizeof table->capacity);
    return columns;
}

static PyObject *scanner_malformed(Scanner *self, void *ignored) {
    (void)ignored;
    return PyLong_FromLongLong(self->rows.malformed);
}

static PyObject *scanner_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    PyObject *answer;
    if (keywords || !PyArg_ParseTuple(args, "O", &answer))
        return keywords ? PyErr_Format(PyExc_TypeError, "Scanner(answer)") : NULL;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Scanner *self = (Scanner *)allocate(type, 0);
    if (!self)
        return NULL;
    self->column_type = PyType_GetModuleState(type) ? *(PyTypeObject **)PyType_GetModuleState(type) : NULL;
    Py_XINCREF((PyObject *)self->column_type);
    self->answer = Py_NewRef(answer);
    self->rows.answer = ask;
    self->rows.who = self;
    return (PyObject *)self;
}

static int scanner_traverse(Scanner *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE((PyObject *)self));
    Py_VISIT(self->column_type);
    Py_VISIT(self->answer);
    return 0;
}

static int scanner_clear(Scanner *self) {
    Py_CLEAR(self->answer);
    Py_CLEAR(self->column_type);
    return 0;
}

static void scanner_dealloc(Scanner *self) {
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    PyObject_GC_UnTrack(self);
    scanner_clear(self);
    rows_free(&self->rows);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

static PyMethodDef scanner_methods[] = {
    {"scan", (PyCFunction)scanner_scan, METH_VARARGS, scan_doc},
    {"take", (PyCFunction)scanner_take, METH_NOARGS, take_doc},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef scanner_attributes[] = {
    {"malformed", (getter)scanner_malformed, NULL, "How many entries were no events.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot scanner_slots[] = {
    {Py_tp_doc, "Scanner(answer)\n\nReads entries of traceEvents into columns. `answer(question, text, text,\n"
                "number)` says what a spelling means, and is asked once for each."},
    {Py_tp_new, scanner_new},
    {Py_tp_dealloc, scanner_dealloc},
    {Py_tp_traverse, scanner_traverse},
    {Py_tp_clear, scanner_clear},
    {Py_tp_methods, scanner_methods},
    {Py_tp_getset, scanner_attributes},
    {0, NULL},
};

static PyType_Spec scanner_spec = {"tb_plugin_explain.trace._scan.Scanner", sizeof(Scanner), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, scanner_slots};

/* A buffer of `count` elements of one format. */
static int get_elements(PyObject *given, Py_buffer *view, int flags, char format, Py_ssize_t count) {
    if (PyObject_GetBuffer(given, view, flags | PyBUF_ND | PyBUF_FORMAT))
        return -1;
    /* NumPy's int64 is C's long or long long. */
    char found = view->format && view->format[0] == 'l' && view->itemsize == 8 ? 'q' : view->format ? view->format[0] : 'B';
    if (view->ndim == 1 && found == format && (count < 0 || view->shape[0] == count))
        return 0;
    PyBuffer_Release(view);
    PyErr_SetString(PyExc_ValueError, "arrays of int64, int64, uint8, int64 and int64 of one length are needed");
    return -1;
}

PyDoc_STRVAR(sweep_doc,
             "sweep(start_ns, end_ns, rank, rounding_ns, parent, beyond, /)\n\n"
             "Finds the parents of the events of one thread, and cuts their ends in place; see nesting.py.\n\n"
             "Arrays of one element an event: int64, int64, uint8, and two of int64 for the results.");

static PyObject *sweep(PyObject *module, PyObject *args) {
    (void)module;
    enum { ARRAYS = 5 };
    PyObject *given[ARRAYS];
    Py_buffer views[ARRAYS];
    static const char formats[] = "qqBqq";
    static const int flags[] = {PyBUF_SIMPLE, PyBUF_WRITABLE, PyBUF_SIMPLE, PyBUF_WRITABLE, PyBUF_WRITABLE};
    long long rounding_ns;
    if (!PyArg_ParseTuple(args, "OOOLOO", &given[0], &given[1], &given[2], &rounding_ns, &given[3], &given[4]))
        return NULL;
    int got = 0;
    while (got < ARRAYS &&
           !get_elements(given[got], &views[got], flags[got], formats[got], got ? views[0].shape[0] : -1))
        got++;
    int64_t *stack = got == ARRAYS ? malloc(((size_t)views[0].shape[0] + 1) * sizeof *stack) : NULL;
    if (stack) {
        Py_BEGIN_ALLOW_THREADS
        nesting_sweep(views[0].buf, views[1].buf, views[2].buf, (size_t)views[0].shape[0], rounding_ns, views[3].buf,
                      views[4].buf, stack);
        Py_END_ALLOW_THREADS
        free(stack);
    } else if (got == ARRAYS)
        PyErr_NoMemory();
    while (got)
        PyBuffer_Release(&views[--got]);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

static PyMethodDef module_functions[] = {
    {"sweep", sweep, METH_VARARGS, sweep_doc},
    {NULL, NULL, 0, NULL},
};

typedef struct {
    PyObject *column_type;
} State;

static int module_exec(PyObject *module) {
    State *state = PyModule_GetState(module);
    if (!(state->column_type = PyType_FromModuleAndSpec(module, &column_spec, NULL)))
        return -1;
    PyObject *scanner = PyType_FromModuleAndSpec(module, &scanner_spec, NULL);
    int failed = !scanner || PyModule_AddObjectRef(module, "Scanner", scanner);
    Py_XDECREF(scanner);
    return failed ? -1 : 0;
}

static int module_traverse(PyObject *module, visitproc visit, void *arg) {
    State *state = PyModule_GetState(module);
    Py_VISIT(state->column_type);
    return 0;
}

static int module_clear(PyObject *module) {
    State *state = PyModule_GetState(module);
    Py_CLEAR(state->column_type);
    return 0;
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, module_exec},
    {0, NULL},
};

static PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_scan",
    .m_doc = "The entries of traceEvents to columns, in C; see docs/decisions/008-c-scanner.md.",
    .m_size = sizeof(State),
    .m_methods = module_functions,
    .m_slots = module_slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
};

PyMODINIT_FUNC PyInit__scan(void) {
    return PyModuleDef_Init(&module);
}
