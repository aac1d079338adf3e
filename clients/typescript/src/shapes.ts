// Checks JSON values against the contract, and puts values that do not fit into the unknown arms.

import { definitions } from "./generated/shapes.js";
import type { Definition, Shape } from "./shape.js";

type Json = Record<string, unknown>;

/** Whether a value is of a shape. Tagged unions take anything: they have an unknown arm. */
export function fits(shape: Shape, value: unknown): boolean {
  if (typeof shape === "string") return fitsPrimitive(shape, value);
  if ("ref" in shape) return fitsDefinition(definition(shape.ref), value);
  if ("nullable" in shape) return value === null || fits(shape.nullable, value);
  if ("array" in shape) {
    return Array.isArray(value) && value.every((item) => fits(shape.array, item));
  }
  if ("literal" in shape) return shape.literal.includes(value);
  if ("oneOf" in shape) return shape.oneOf.some((arm) => fits(arm, value));
  if ("map" in shape) {
    return isObject(value) && Object.values(value).every((each) => fits(shape.map, each));
  }
  return (
    Array.isArray(value) &&
    value.length === shape.tuple.length &&
    shape.tuple.every((item, index) => fits(item, value[index]))
  );
}

/** Put what does not fit its class into the unknown arm of its union, in place. */
export function revive(shape: Shape, value: unknown): unknown {
  if (!holdsUnion(shape) || typeof shape === "string") return value;
  if ("ref" in shape) return reviveDefinition(definition(shape.ref), value);
  if ("nullable" in shape) return value === null ? null : revive(shape.nullable, value);
  if ("array" in shape && Array.isArray(value)) {
    value.forEach((item, index) => (value[index] = revive(shape.array, item)));
  } else if ("map" in shape && isObject(value)) {
    for (const name of Object.keys(value)) set(value, name, revive(shape.map, value[name]));
  } else if ("oneOf" in shape) {
    const arm = shape.oneOf.find((each) => fits(each, value));
    return arm === undefined ? value : revive(arm, value);
  } else if ("tuple" in shape && Array.isArray(value)) {
    shape.tuple.forEach((item, index) => (value[index] = revive(item, value[index])));
  }
  return value;
}

function definition(name: string): Definition {
  const found = definitions[name];
  if (found === undefined) throw new Error(`no shape is known for ${name}`);
  return found;
}

function fitsPrimitive(shape: string, value: unknown): boolean {
  switch (shape) {
    case "any":
      return true;
    case "null":
      return value === null;
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === shape;
  }
}

function fitsDefinition(found: Definition, value: unknown): boolean {
  if ("tag" in found) return true;
  if ("shape" in found) return fits(found.shape, value);
  return isObject(value) && membersOf(found).every((member) => fitsMember(member, value));
}

function fitsMember({ name, optional, shape }: Member, value: Json): boolean {
  return Object.hasOwn(value, name) ? fits(shape, value[name]) : optional;
}

function reviveDefinition(found: Definition, value: unknown): unknown {
  if ("shape" in found) return revive(found.shape, value);
  if ("tag" in found) {
    const tag = isObject(value) && Object.hasOwn(value, found.tag) ? value[found.tag] : undefined;
    const name =
      typeof tag === "string" && Object.hasOwn(found.classes, tag) ? found.classes[tag] : undefined;
    if (name === undefined || !fitsDefinition(definition(name), value)) {
      return new found.unknown(value);
    }
    return reviveDefinition(definition(name), value);
  }
  if (isObject(value)) {
    for (const { name, shape } of membersOf(found)) {
      if (holdsUnion(shape) && Object.hasOwn(value, name)) {
        value[name] = revive(shape, value[name]);
      }
    }
  }
  return value;
}

interface Member {
  readonly name: string;
  readonly optional: boolean;
  readonly shape: Shape;
}

const lists = new WeakMap<Definition, readonly Member[]>();

function membersOf(found: { readonly members: Readonly<Record<string, Shape>> }) {
  let list = lists.get(found);
  if (list === undefined) {
    list = Object.entries(found.members).map(([key, shape]) => {
      const optional = key.endsWith("?");
      return { name: optional ? key.slice(0, -1) : key, optional, shape };
    });
    lists.set(found, list);
  }
  return list;
}

const unions = new Map<string, boolean>();

/** Whether there is a tagged union somewhere in a shape, so that it is worth walking. */
function holdsUnion(shape: Shape): boolean {
  if (typeof shape === "string" || "literal" in shape) return false;
  if ("array" in shape) return holdsUnion(shape.array);
  if ("map" in shape) return holdsUnion(shape.map);
  if ("nullable" in shape) return holdsUnion(shape.nullable);
  if ("oneOf" in shape) return shape.oneOf.some(holdsUnion);
  if ("tuple" in shape) return shape.tuple.some(holdsUnion);
  const known = unions.get(shape.ref);
  if (known !== undefined) return known;
  unions.set(shape.ref, false);
  const found = definition(shape.ref);
  const holds =
    "tag" in found ||
    ("shape" in found
      ? holdsUnion(found.shape)
      : Object.values(found.members).some(holdsUnion));
  unions.set(shape.ref, holds);
  return holds;
}

/** Set a member, also one named `__proto__`. */
function set(target: Json, name: string, value: unknown): void {
  Object.defineProperty(target, name, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
