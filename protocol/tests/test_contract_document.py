"""The OpenRPC document is well-formed, describes the registry, and is not stale."""

from __future__ import annotations

import copy
import json
import re
import shutil
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from generate import outputs
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT7
from sessiond_protocol import openrpc
from sessiond_protocol.reference import method_section
from sessiond_protocol.registry import METHODS, NOTIFICATIONS
from sessiond_protocol.schema import EXPERIMENTAL
from targets import TARGETS, future, methods_page, reference_page, vscode

PROTOCOL = Path(__file__).resolve().parents[1]
DOCUMENT: dict[str, Any] = json.loads(openrpc.FILE.read_text(encoding="utf-8"))
SCHEMAS: dict[str, Any] = DOCUMENT["components"]["schemas"]
DESCRIBED: list[dict[str, Any]] = DOCUMENT["methods"]
WITHOUT_EXAMPLE = {"catalog/restore", "session/appendUsage"}
"""The vectors show only their errors, or less than the document requires."""
CALLED = [each for each in DESCRIBED if "x-sender" not in each]
TOLD = [each for each in DESCRIBED if "x-sender" in each]


def nodes(value: Any) -> Any:
    yield value
    for child in value.values() if isinstance(value, dict) else value:
        if isinstance(child, dict | list):
            yield from nodes(child)


def resolve(reference: str) -> Any:
    found: Any = DOCUMENT
    for step in reference.removeprefix("#/").split("/"):
        found = found[step]
    return found


def validate(component: str, value: Any) -> None:
    schema = {"$ref": f"#/components/schemas/{component}", "components": {"schemas": SCHEMAS}}
    jsonschema.Draft7Validator(schema).validate(value)


def generate(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(PROTOCOL / "generate.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)


def test_generated_files_are_fresh():
    done = generate("--check")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_it_has_the_shape_of_an_openrpc_document():
    assert DOCUMENT["openrpc"].startswith("1.3")
    assert {"title", "version"} <= set(DOCUMENT["info"])
    for method in DESCRIBED:
        assert method["paramStructure"] == "by-name"
        for descriptor in (*method["params"], *([method["result"]] if "result" in method else [])):
            assert {"name", "schema"} <= set(descriptor)
        required = [descriptor["required"] for descriptor in method["params"]]
        assert required == sorted(required, reverse=True), "required params come first"
    for error in DOCUMENT["components"]["errors"].values():
        assert isinstance(error["code"], int)
        assert isinstance(error["message"], str)


def test_generators_find_what_they_need():
    """A version of packages, the type of every item, a description, and unique names of types."""
    assert re.fullmatch(r"\d+\.\d+\.\d+", DOCUMENT["info"]["version"])
    titles = dict[str, Any]()
    for method in DESCRIBED:
        assert method["description"].startswith(method["summary"])
        for each in method["params"]:
            schema = each["schema"]
            title = schema.get("title")
            assert "$ref" in schema or titles.setdefault(title, schema) == schema

    pending: list[Any] = [DOCUMENT]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            assert value.get("type") != "array" or "items" in value
            pending += value.values()
        elif isinstance(value, list):
            pending += value


def meta_schema(package: str) -> dict[str, Any]:
    """Return a schema that an npm package of the reference exports."""
    reference = PROTOCOL.parent / ".cache" / "reference"
    text = f"process.stdout.write(JSON.stringify(require({package!r}).default))"
    node = shutil.which("node")
    assert node
    done = subprocess.run(
        [node, "-e", text], cwd=reference, capture_output=True, timeout=60, check=True
    )
    schema: dict[str, Any] = json.loads(done.stdout)
    return schema


def test_it_is_valid_by_the_official_meta_schema():
    schemas = Resource(meta_schema("@json-schema-tools/meta-schema"), DRAFT7)
    known = Registry().with_resource("https://meta.json-schema.tools", schemas)
    known = known.with_resource("https://meta.json-schema.tools/", schemas)
    rules = jsonschema.Draft7Validator(meta_schema("@open-rpc/meta-schema"), registry=known)
    rules.validate(DOCUMENT)
    wrong = copy.deepcopy(DOCUMENT)
    wrong["components"]["errors"]["Busy"]["x-data"] = {}
    assert not rules.is_valid(wrong)
    assert "prefixItems" not in openrpc.FILE.read_text(encoding="utf-8")


def test_examples_are_of_the_vectors_and_fit_the_contract():
    without = {each["name"] for each in CALLED if "result" in each and "examples" not in each}
    assert without <= WITHOUT_EXAMPLE
    for method in DESCRIBED:
        for example in method.get("examples", ()):
            sent = {each["name"]: each["value"] for each in example["params"]}
            if "x-params" in method:
                validate(method["x-params"]["$ref"].rpartition("/")[2], sent)
            if "result" in example:
                schema = {**method["result"]["schema"], "components": DOCUMENT["components"]}
                jsonschema.Draft7Validator(schema).validate(example["result"]["value"])


def test_every_method_has_a_family_and_what_may_change_is_marked():
    families = {"connection", "session", "catalog", "context", "gateway"}
    for method in DESCRIBED:
        names = {tag["name"] for tag in method["tags"]}
        assert len(names & families) == 1
        assert ("notification" in names) == ("result" not in method)
    marked = {each["name"] for each in DESCRIBED if "x-stability" in each}
    assert marked == EXPERIMENTAL


def test_it_lists_the_registry_in_order_each_name_once():
    assert [method["name"] for method in DESCRIBED] == [*METHODS, *NOTIFICATIONS]
    assert [method["name"] for method in TOLD] == list(NOTIFICATIONS)
    for method in DESCRIBED:
        names = [descriptor["name"] for descriptor in method["params"]]
        assert len(names) == len(set(names))


def test_requests_have_a_result_and_notifications_none():
    for described in DESCRIBED:
        method = {**METHODS, **NOTIFICATIONS}[described["name"]]
        assert ("result" in described) == (method.kind == "request")


def test_requests_say_whether_they_may_be_sent_again():
    for described in DESCRIBED:
        method = {**METHODS, **NOTIFICATIONS}[described["name"]]
        expected = method.repeatable if method.kind == "request" else None
        assert described.get("x-repeatable") == expected


# The extension for VS Code calls methods with the client for TypeScript.
NO_CLIENTS = (future.outputs, methods_page.outputs, reference_page.outputs, vscode.outputs)


@pytest.mark.parametrize("target", [each for each in TARGETS if each not in NO_CLIENTS])
def test_every_client_is_told_by_the_document_what_may_be_sent_again(target):
    changed = copy.deepcopy(DOCUMENT)
    described = next(each for each in changed["methods"] if each["name"] == "session/getEntries")
    described["x-repeatable"] = False
    assert target(changed) != target(DOCUMENT)


def test_every_reference_leads_somewhere():
    references = [
        node["$ref"] for node in nodes(DOCUMENT) if isinstance(node, dict) and "$ref" in node
    ]
    assert references
    for reference in references:
        assert resolve(reference) is not None


def test_every_component_is_referred_to():
    text = openrpc.FILE.read_text(encoding="utf-8")
    assert [name for name in SCHEMAS if f'"#/components/schemas/{name}"' not in text] == []


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_component_is_a_json_schema(name):
    jsonschema.Draft7Validator.check_schema(SCHEMAS[name])
    jsonschema.Draft202012Validator.check_schema(SCHEMAS[name])
    assert SCHEMAS[name]["description"]


def test_every_param_schema_is_a_json_schema():
    for method in DESCRIBED:
        for descriptor in method["params"]:
            jsonschema.Draft7Validator.check_schema(descriptor["schema"])
    assert DOCUMENT["x-errors"].keys() == DOCUMENT["components"]["errors"].keys()
    for error in DOCUMENT["x-errors"].values():
        assert error["description"]
        jsonschema.Draft7Validator.check_schema(error.get("data", {}))


def test_members_with_three_states_are_those_of_the_contract():
    marked = {
        name
        for method in CALLED
        for name, schema in ((each["name"], each["schema"]) for each in method["params"])
        if schema.get("x-nullMeans") == "value"
    }
    assert marked == {
        *("leafId", "entryId", "parentId", "expectedLeafId", "expectedTipId"),
        *("firstKeptEntryId", "replacement", "data", "details", "usage", "updatedAt"),
        "message",
        # Of gateway/patch, which takes away what is null.
        *("label", "model", "sendPolicy", "groupActivation"),
        *("thinkingLevel", "verboseLevel", "reasoningLevel", "elevatedLevel", "responseUsage"),
        *("execHost", "execSecurity", "execAsk", "execNode"),
    }


def test_every_other_nullable_param_says_that_null_means_absent():
    for method in CALLED:
        for descriptor in method["params"]:
            schema = descriptor["schema"]
            if {"type": "null"} in schema.get("anyOf", ()):
                assert schema["x-nullMeans"] in {"value", "absent"}
                assert schema["x-nullMeans"] == "value" or not descriptor["required"]


def test_every_member_is_described():
    for schema in SCHEMAS.values():
        for member in schema.get("properties", {}).values():
            assert member.get("description") or "const" in member


def test_tags_are_the_first_required_members_of_the_classes_of_a_union():
    for union in ("Entry", "Message", "Block", "Header"):
        tagged = SCHEMAS[union]["x-tagged"]
        for tag, reference in tagged["classes"].items():
            assert resolve(reference)["properties"][tagged["member"]] == {"const": tag}
            assert resolve(reference)["required"][0] == tagged["member"]


@pytest.mark.parametrize(
    ("component", "value"),
    [
        ("Entry", {"type": "message", "id": "a", "parentId": None, "message": {"role": "user"}}),
        ("Entry", {"type": "message", "message": {"role": "assistant", "usage": "none"}}),
        ("Entry", {"type": "brand_new"}),
        ("AppendContextEditParams", {"session": "s", "targetId": "t", "replacement": None}),
        (
            "AppendCompactionParams",
            {"session": "s", "summary": "", "tokensBefore": 1, "usage": None},
        ),
        ("OpenParams", {"path": "a", "readOnly": None, "unknown": 1}),
        ("ProgressValue", {"kind": "report", "percentage": 12.5}),
        ("ProgressValue", {"sessions": []}),
    ],
)
def test_valid_values_pass_their_component(component, value):
    validate(component, value)


@pytest.mark.parametrize(
    ("component", "value"),
    [
        ("OpenParams", {"id": ""}),
        ("OpenParams", {"path": ""}),
        ("ListParams", {"cwd": "/", "limit": -1}),
        ("SessionMessageEntry", {"type": "label"}),
        ("LeafIdResult", {"leafId": 3}),
    ],
)
def test_invalid_values_do_not(component, value):
    with pytest.raises(jsonschema.ValidationError):
        validate(component, value)


def test_it_is_published_on_one_line():
    published = openrpc.published()
    assert b"\n" not in published
    assert msgspec.json.decode(published) == DOCUMENT


def test_a_stale_file_fails_the_check_with_the_command_that_mends_it(tmp_path):
    protocol = tmp_path / "protocol"
    shutil.copytree(PROTOCOL / "targets", protocol / "targets")
    shutil.copy(PROTOCOL / "generate.py", protocol)
    package = tmp_path / "clients" / "typescript" / "package.json"
    package.parent.mkdir(parents=True)
    package.write_text('{"version": "1.2.3"}', encoding="utf-8")
    manifest = tmp_path / "clients" / "vscode" / "package.json"
    manifest.parent.mkdir()
    manifest.write_text('{"enum": ["all"]}', encoding="utf-8")
    page = tmp_path / "docs" / "methods.md"
    page.parent.mkdir()
    page.write_text("# x\n<!-- methods -->\nold\n<!-- /methods -->\nend\n", encoding="utf-8")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(protocol / "generate.py"), *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)

    checked = run("--check")
    assert checked.returncode == 1
    assert "stale: docs/methods.md" in checked.stderr
    assert "stale: protocol/sessiond_protocol/openrpc.json" in checked.stderr
    assert "make generate" in checked.stderr

    assert run().returncode == 0
    text = page.read_text(encoding="utf-8")
    assert text.startswith("# x\n<!-- methods -->\n")
    assert text.endswith("<!-- /methods -->\nend\n")
    assert "| `session/create` | `cwd, sessionDir?" in text
    assert run("--check").returncode == 0

    page.write_text("# no markers\n", encoding="utf-8")
    unmarked = run()
    assert unmarked.returncode == 1
    assert "docs/methods.md: the markers" in unmarked.stderr
    assert page.read_text(encoding="utf-8") == "# no markers\n"


def test_strings_of_answers_are_open():
    tags = {
        (ref.removeprefix("#/components/schemas/"), schema["x-tagged"]["member"])
        for schema in SCHEMAS.values()
        for ref in schema.get("x-tagged", {}).get("classes", {}).values()
    }
    for name in _reached(_answers()):
        for member, schema in SCHEMAS[name].get("properties", {}).items():
            text = json.dumps(schema)
            assert '"enum"' not in text, f"{name}.{member}"
            assert '"const"' not in text or (name, member) in tags, f"{name}.{member}"


def test_the_answers_of_a_later_daemon_are_of_all_methods():
    made = json.loads((PROTOCOL / "future/answers.json").read_text())
    methods = [name for each in made["answers"] for name in each["methods"]]
    assert set(methods) == {each["name"] for each in DOCUMENT["methods"] if "result" in each}
    told = {each["method"] for each in made["notifications"]}
    assert told == {each["name"] for each in TOLD} | {"session/addedLater"}


def _answers():
    return [each["result"] for each in DOCUMENT["methods"] if "result" in each] + [
        each["x-params"] for each in TOLD
    ]


def _reached(schema):
    pending, found = [schema], set()
    while pending:
        for ref in re.findall(r'"#/components/schemas/(\w+)"', json.dumps(pending.pop())):
            if ref not in found:
                found.add(ref)
                pending.append(SCHEMAS[ref])
    return found


def test_a_change_of_one_method_or_schema_is_a_change_of_one_line():
    lines = [line.strip() for line in openrpc.FILE.read_text(encoding="utf-8").splitlines()]
    for method in DOCUMENT["methods"]:
        name = json.dumps(method["name"])
        (line,) = [line for line in lines if line.startswith(f'{{"name": {name},')]
        assert json.loads(line.removesuffix(",")) == method
    for name, schema in SCHEMAS.items():
        found = [line for line in lines if line.startswith(f'"{name}": ')]
        texts = [line.removesuffix(",").partition(": ")[2] for line in found]
        assert schema in [json.loads(text) for text in texts]


def test_generated_files_are_marked_for_hosting_sites():
    files, _ = outputs(DOCUMENT)
    attributes = (PROTOCOL.parent / ".gitattributes").read_text(encoding="utf-8")
    patterns = re.findall(r"^(\S+) linguist-generated$", attributes, re.MULTILINE)
    marked = {path for path in files if any(fnmatch(path, pattern) for pattern in patterns)}
    # The rest of these is written by hand.
    assert set(files) - marked == {"docs/methods.md", "clients/vscode/package.json"}
    assert all(any(fnmatch(path, pattern) for path in files) for pattern in patterns)


@pytest.mark.parametrize("described", DESCRIBED, ids=lambda each: each["name"])
def test_the_reference_names_every_param_member_and_error(described):
    section = method_section(DOCUMENT, described["name"])
    result = described.get("result", {}).get("schema", {})
    members = resolve(result["$ref"]).get("properties", {}) if "$ref" in result else {}
    for name, required in [
        *((each["name"], each["required"]) for each in described["params"]),
        *((each, each in resolve(result["$ref"]).get("required", ())) for each in members),
    ]:
        assert f"| `{name}{'' if required else '?'}` |" in section
    for error in described.get("errors", ()):
        assert f"`{error['$ref'].rpartition('/')[2]}`" in section


def test_the_reference_has_every_object_that_it_links():
    page = reference_page.outputs(DOCUMENT)[reference_page.PAGE]
    headings = {heading.lower() for heading in re.findall(r"^### (.*)$", page, re.MULTILINE)}
    links = set(re.findall(r"\]\(#([^)]*)\)", page))
    assert len(links) > 50
    assert links <= headings
    assert method_section(DOCUMENT, "session/nothing") is None
