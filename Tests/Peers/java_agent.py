"""Java's own TLS, and an agent that has it write keys: both are compiled from Tests/Peers/java."""

import pathlib
import subprocess
import zipfile

HERE = pathlib.Path(__file__).resolve().parent


def build(folder):
    """Gives the folder of the classes, and the JAR of the agent; nil where this Java has no ASM of its own, which the agent is written with."""
    classes = pathlib.Path(folder, "classes")
    command = ["javac", "-nowarn", "--add-exports", "java.base/jdk.internal.org.objectweb.asm=ALL-UNNAMED", "-d", classes, *sorted((HERE / "java").glob("*.java"))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        if "jdk.internal.org.objectweb.asm" in done.stderr and "not found" in done.stderr:
            return None
        raise RuntimeError(done.stderr)
    jar = pathlib.Path(folder, "key agent.jar")
    with zipfile.ZipFile(jar, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\r\nPremain-Class: KeyAgent\r\nCan-Redefine-Classes: true\r\n\r\n")
        for file in sorted(classes.glob("KeyAgent*.class")):
            archive.write(file, file.name)
    return classes, jar
