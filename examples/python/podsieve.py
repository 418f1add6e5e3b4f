"""podsieve from Python, without a process: the module of the npm package runs in wasmtime.

In: podsieve.wasm, questions and inputs as `podsieve ask --list` names them. Out: answers as Python values.
"""

import json
import tempfile
from pathlib import Path

from wasmtime import Engine, ExitTrap, Linker, Module, Store, WasiConfig


class Podsieve:
    """A compiled module, which takes some seconds to make (`Module.serialize` keeps it) and answers any number of questions."""

    def __init__(self, module):
        self._engine = Engine()
        self._module = Module.from_file(self._engine, str(module))
        self._linker = Linker(self._engine)
        self._linker.define_wasi()

    def ask(self, question, given=None):
        """The answer to one question. What is no question raises ValueError; what is wrong with a text is a part of the answer."""
        with tempfile.TemporaryDirectory() as folder:
            given_file, answer_file, error_file = (Path(folder, name) for name in ("in", "out", "err"))
            given_file.write_text(json.dumps(given or {}), encoding="utf-8")
            # No files, no network, no environment: the three streams are all that the module has.
            wasi = WasiConfig()
            wasi.argv = ["podsieve", "ask", question]
            wasi.stdin_file, wasi.stdout_file, wasi.stderr_file = map(str, (given_file, answer_file, error_file))
            store = Store(self._engine)
            store.set_wasi(wasi)
            code = 0
            try:
                self._linker.instantiate(store, self._module).exports(store)["_start"](store)
            except ExitTrap as ended:
                code = ended.code
            if code != 0:
                raise ValueError(error_file.read_text(encoding="utf-8").strip())
            return json.loads(answer_file.read_text(encoding="utf-8"))
