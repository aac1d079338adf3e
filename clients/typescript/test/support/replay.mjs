// Replays one vector of protocol/vectors, as their README describes, through the client.

import assert from "node:assert/strict";
import { mkdir, readFile, rename, truncate, unlink, utimes, writeFile, appendFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { JsonText, Sessiond, SessiondError } from "sessiond-client";

import { plainEnvironment } from "./daemon.mjs";

export async function replay(vector, dir, options = {}) {
  const names = { dir };
  for (const [name, [text, times]] of Object.entries(vector.generate ?? {})) {
    names[name] = text.repeat(times);
  }
  for (const file of vector.files ?? []) {
    const path = filled(file.path, names);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, contents(file, names));
    if (file.modified !== undefined) await utimes(path, file.modified, file.modified);
  }
  // Integers beyond 2^53 do not survive JSON.parse, so what is exact is replayed as plain JSON.
  const plain = vector.fidelity !== "value";
  const asked = vector.initialize?.params ?? {};
  const client = await Sessiond.start({
    env: plainEnvironment,
    args: ["--agent-dir", join(dir, "agent"), ...filled(vector.options ?? [], names)],
    restart: false,
    initialize: {
      clientInfo: undefined,
      processId: undefined,
      ...filled(asked, names),
      ...(plain ? { capabilities: { ...asked.capabilities, plainJson: true } } : {}),
    },
    ...options,
  });
  const exit = new Promise((resolve) => client.onDidExit(resolve));
  const heard = notifications(client);
  try {
    if (vector.initialize?.result !== undefined) {
      match(vector.initialize.result, client.settings, names, "initialize");
    }
    capture(vector.initialize?.capture, client.settings, names);
    for (const [index, step] of vector.steps.entries()) {
      await play(step, { client, exit, heard, names, plain }, `step ${index}`);
    }
  } finally {
    await client.close();
  }
}

async function play(step, { client, exit, heard, names, plain }, where) {
  if (step.request !== undefined) {
    const answer = await asked(client, step, names);
    const wanted = plain && step.plain !== undefined ? step.plain : step;
    where = `${where}: ${step.request}`;
    if (wanted.error !== undefined) {
      match({ $subset: wanted.error }, answer.error, names, where);
    } else {
      assert.equal(answer.error, undefined, `${where}: ${JSON.stringify(answer.error)}`);
      if (wanted.result !== undefined) match(wanted.result, answer.result, names, where);
      if (wanted.resultText !== undefined) {
        assert.deepEqual(answer.result, JSON.parse(filled(wanted.resultText, names)), where);
      }
      capture(step.capture, answer.result, names);
    }
  } else if (step.notify !== undefined) {
    await client.notify(step.notify, filled(step.params, names));
    if (step.exitCode !== undefined) assert.equal((await exit).code, step.exitCode, where);
  } else if (step.notification !== undefined) {
    const params = await heard(step.notification);
    match(step.params, params, names, `${where}: ${step.notification}`);
    capture(step.capture, params, names);
  } else if (step.edit !== undefined) {
    await edit(step, filled(step.edit, names), names);
  } else if (step.check !== undefined) {
    const found = await readFile(filled(step.check, names)).catch(() => null);
    const wanted = step.text === null ? null : contents(step, names);
    assert.equal(found?.toString("latin1"), wanted?.toString("latin1"), `${where}: ${step.check}`);
  } else {
    assert.fail(`${where} is of no kind known here`);
  }
}

/** Send a request, and return the answer as JSON values. */
async function asked(client, step, names) {
  let params = filled(step.params, names);
  if (step.paramsText !== undefined) params = new JsonText(filled(step.paramsText, names));
  else if (params !== undefined && !isObject(params)) params = new JsonText(JSON.stringify(params));
  try {
    return { result: json(await client.request(step.request, params)) };
  } catch (error) {
    if (!(error instanceof SessiondError)) throw error;
    const { code, message, kind, retryable, data } = error;
    // Only application errors have a kind on the wire.
    return { error: { code, message, data: code > 0 ? { kind, retryable, ...data } : json(data) } };
  }
}

function notifications(client) {
  const names = client.settings.capabilities.notifications;
  const queues = Object.fromEntries(names.map((name) => [name, { arrived: [], waiting: [] }]));
  for (const name of names) {
    const queue = queues[name];
    const words = name.match(/[A-Za-z][a-z]*/g).map((word) => word[0].toUpperCase() + word.slice(1));
    client[`on${words.join("")}`]((params) => {
      const wait = queue.waiting.shift();
      if (wait === undefined) queue.arrived.push(json(params));
      else wait(json(params));
    });
  }
  return (name) =>
    new Promise((resolve, reject) => {
      const queue = queues[name];
      if (queue.arrived.length > 0) return resolve(queue.arrived.shift());
      const timer = setTimeout(() => reject(new Error(`no ${name} came`)), 30_000);
      queue.waiting.push((params) => (clearTimeout(timer), resolve(params)));
    });
}

async function edit(step, path, names) {
  if (step.delete) await unlink(path);
  else if (step.truncate !== undefined) await truncate(path, step.truncate);
  else if (step.append !== undefined) await appendFile(path, contents(content(step.append), names));
  else if (step.write !== undefined) await writeFile(path, contents(content(step.write), names));
  else {
    await writeFile(`${path}.new`, contents(content(step.replace), names));
    await rename(`${path}.new`, path);
  }
}

/** The contents that an edit writes, given as lines or as text. */
function content(given) {
  return isObject(given) ? given : { text: given };
}

function contents({ text, base64 }, names) {
  if (base64 !== undefined) return Buffer.from(base64, "base64");
  const lines = filled(text, names);
  return Buffer.from(Array.isArray(lines) ? lines.map((line) => `${line}\n`).join("") : lines);
}

function filled(value, names) {
  if (typeof value === "string") {
    const whole = /^\$\{([^}]+)\}$/.exec(value);
    if (whole !== null) return named(whole[1], names);
    return value.replace(/\$\{([^}]+)\}/g, (_, name) => String(named(name, names)));
  }
  if (Array.isArray(value)) return value.map((each) => filled(each, names));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filled(each, names)]));
}

function named(name, names) {
  assert.ok(Object.hasOwn(names, name), `nothing is named ${name}`);
  return names[name];
}

function capture(paths, from, names) {
  for (const [name, path] of Object.entries(paths ?? {})) {
    names[name] = path.split(".").reduce((value, part) => value[part], from);
  }
}

const ANY = {
  value: () => true,
  string: (value) => typeof value === "string",
  integer: (value) => Number.isInteger(value),
  array: (value) => Array.isArray(value),
  object: (value) => isObject(value),
  time: (value) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value),
  id: (value) => /^([0-9a-f]{8}){1,2}$/.test(value),
  uuid: (value) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value),
};

function match(wanted, actual, names, where) {
  const shown = () => `${where}: ${JSON.stringify(actual)} is not ${JSON.stringify(wanted)}`;
  if (typeof wanted === "string") {
    assert.deepEqual(actual, filled(wanted, names), shown());
  } else if (Array.isArray(wanted)) {
    assert.ok(Array.isArray(actual) && actual.length === wanted.length, shown());
    wanted.forEach((each, index) => match(each, actual[index], names, `${where}[${index}]`));
  } else if (!isObject(wanted)) {
    assert.deepEqual(actual, wanted, shown());
  } else if (Object.keys(wanted).length === 1 && "$any" in wanted) {
    assert.ok(ANY[wanted.$any](actual), shown());
  } else if ("$oneOf" in wanted) {
    assert.ok(wanted.$oneOf.some((each) => matches(each, actual, names)), shown());
  } else if ("$between" in wanted) {
    const [begin, end] = filled(wanted.$between, names);
    assert.ok(
      typeof actual === "string" &&
        actual.length >= begin.length + end.length &&
        actual.startsWith(begin) &&
        actual.endsWith(end),
      shown(),
    );
  } else if ("$unordered" in wanted) {
    assert.ok(Array.isArray(actual) && actual.length === wanted.$unordered.length, shown());
    const rest = [...actual];
    for (const each of wanted.$unordered) {
      const index = rest.findIndex((one) => matches(each, one, names));
      assert.ok(index >= 0, shown());
      rest.splice(index, 1);
    }
  } else {
    const members = wanted.$subset ?? wanted;
    assert.ok(isObject(actual), shown());
    if (!("$subset" in wanted)) {
      assert.deepEqual(Object.keys(actual).sort(), Object.keys(wanted).sort(), shown());
    }
    for (const [name, each] of Object.entries(members)) {
      assert.ok(Object.hasOwn(actual, name), `${where}.${name} is missing: ${JSON.stringify(actual)}`);
      match(each, actual[name], names, `${where}.${name}`);
    }
  }
}

function matches(wanted, actual, names) {
  try {
    match(wanted, actual, names, "");
    return true;
  } catch {
    return false;
  }
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value as JSON values, with the raw value of unknown arms. */
function json(value) {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
