"""How numba puts a kernel together: everything that it calls in one module, optimised and turned into code once.

By itself numba optimises every function anew with all that it calls, down to machine code that nobody runs, and keeps
each as something that others might call. Here the functions inside kernels (`jit.part`) are only lowered, and a kernel
links them as its own, so that LLVM knows all of their callers and drops the arguments that they do not use.
"""

from __future__ import annotations

from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import LoweringPass, register_pass
from numba.core.typed_passes import AnnotateTypes


class PartLibrary(JITCodeLibrary):
    """A function that only kernels call: never optimised or run by itself."""

    def finalize(self) -> None:
        """Do nothing: a kernel links the function as it was lowered."""
        self._raise_if_finalized()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return that there is no machine code."""
        return 0

    @property
    def codegen(self) -> Any:
        """The library itself, for it has no code in any engine."""
        return self

    def set_env(self, name: str, env: Any) -> None:
        """There is no code whose environment could be set."""


class KernelLibrary(JITCodeLibrary):
    """A function that Python calls, with everything that it calls."""

    def finalize(self) -> None:
        """Link what this function calls, and what that calls, then optimise everything together."""
        found = dict.fromkeys(self._linking_libraries)
        todo = list(found)
        while todo:
            library = todo.pop()
            if isinstance(library, PartLibrary):
                new = [other for other in library._linking_libraries if other not in found]
                found.update(dict.fromkeys(new))
                todo += new
        self._linking_libraries = list(found)
        super().finalize()

    def _optimize_final_module(self) -> None:
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage.name == "linkonce_odr":
                function.linkage = "internal"
        manager, builder = self._codegen._module_pass_manager()
        manager.run(self._final_module, builder)


def _pipeline(library_class: type[Any]) -> type[Any]:
    @register_pass(mutates_CFG=False, analysis_only=True)
    class CreateLibrary(LoweringPass):
        _name = f"create_{library_class.__name__}"

        def __init__(self) -> None:
            LoweringPass.__init__(self)

        def run_pass(self, state: Any) -> bool:
            state.library = library_class(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
            return True

    class Compiler(CompilerBase):
        def define_pipelines(self) -> list[Any]:
            pipeline = DefaultPassBuilder.define_nopython_pipeline(self.state)
            pipeline.add_pass_after(CreateLibrary, AnnotateTypes)
            pipeline.finalize()
            return [pipeline]

    return Compiler


PartCompiler = _pipeline(PartLibrary)
KernelCompiler = _pipeline(KernelLibrary)
