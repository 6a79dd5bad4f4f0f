"""What is installed is what lies in the checkout: wheel, sdist and editable install, without network."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import headjudge

ROOT = Path(__file__).parent.parent
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SETUPTOOLS = SETTINGS["tool"]["setuptools"]
FOLDERS = {package: ROOT / folder for package, folder in SETUPTOOLS["package-dir"].items()}
LEFT_BEHIND = (
    ".git", ".venv", "build", "dist", "*.egg-info", "__pycache__", ".*_cache", ".coverage*", "demo", ".hypothesis",
)  # fmt: skip

pytestmark = pytest.mark.compiled


def files_of_the_tree() -> set[str]:
    """Every file that must be in a wheel, by its path there."""
    found = set()
    for package, folder in FOLDERS.items():
        for top, folders, names in os.walk(folder):  # does not follow the links in src/headjudge
            folders[:] = [name for name in folders if name != "__pycache__"]
            place = Path(*package.split("."), Path(top).relative_to(folder))
            found |= {(place / name).as_posix() for name in names if not name.endswith(".pyc")}
    return found


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout, since building leaves things lying about."""
    copy = tmp_path_factory.mktemp("checkout") / "headjudge"
    return Path(shutil.copytree(ROOT, copy, symlinks=True, ignore=shutil.ignore_patterns(*LEFT_BEHIND)))


def call(*words: object, **settings: object) -> str:
    environment = {**os.environ, "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", **settings}
    done = subprocess.run(
        [str(word) for word in words],
        capture_output=True,
        text=True,
        check=False,
        env={key: str(value) for key, value in environment.items()},
        cwd=settings.get("PWD"),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def contents_of_wheel(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def test_packages_are_those_of_the_tree() -> None:
    tree = {Path(file).parent for file in files_of_the_tree() if file.endswith("__init__.py")}
    assert sorted(SETUPTOOLS["packages"]) == sorted(".".join(folder.parts) for folder in tree)


def test_version_is_that_of_the_metadata() -> None:
    from importlib.metadata import version

    assert headjudge.__version__ == version("headjudge")


def test_wheel_and_sdist_hold_everything(checkout: Path, tmp_path: Path) -> None:
    call(sys.executable, "-m", "build", "--no-isolation", "--sdist", "--wheel", "--outdir", tmp_path, checkout)
    (wheel,) = tmp_path.glob("*.whl")
    (sdist,) = tmp_path.glob("*.tar.gz")
    assert contents_of_wheel(wheel) == files_of_the_tree()

    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    call(sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", tmp_path / "again", unpacked)
    (again,) = (tmp_path / "again").glob("*.whl")
    assert contents_of_wheel(again) == files_of_the_tree()


def test_editable_install(checkout: Path, tmp_path: Path) -> None:
    call(sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv")
    python = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "--no-build-isolation", "--no-deps")
    call(*pip, "--editable", checkout, PYTHONPATH=sysconfig.get_path("purelib"))  # for setuptools
    folders = {package: checkout / folder.relative_to(ROOT) for package, folder in FOLDERS.items()}
    question = f"import importlib.util as u; print([u.find_spec(package).origin for package in {list(folders)}])"
    found = ast.literal_eval(call(python, "-c", question, PWD=tmp_path))
    assert [Path(file).resolve() for file in found] == [folder / "__init__.py" for folder in folders.values()]
    assert headjudge.__version__ in call(python, "-m", "headjudge", "--version", PWD=tmp_path)
