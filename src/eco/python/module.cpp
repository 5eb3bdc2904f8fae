// SPDX-License-Identifier: BSD-3-Clause
#include "eco/base/error.h"
#include "eco/python/bind.h"

// In Python an Error is an EngineError whose two arguments are its sentence and its exit code.
static void bind_error(nanobind::module_& module) {
    static PyObject* engine_error =
        PyErr_NewException("eco._engine.EngineError", PyExc_RuntimeError, nullptr);
    module.attr("EngineError") = nanobind::handle(engine_error);
    nanobind::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (const eco::Error& error) {
            const auto arguments =
                nanobind::make_tuple(error.what(), static_cast<int>(error.code()));
            PyErr_SetObject(engine_error, arguments.ptr());
        }
    });
}

NB_MODULE(_engine, module) {
    module.doc() = "ECO's engine: topology and plans, without MPI.";
    bind_error(module);
    eco::bind_topology(module);
    eco::bind_simulate(module);
    eco::bind_report(module);
}
