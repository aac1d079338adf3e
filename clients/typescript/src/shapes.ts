// Checks JSON values against the contract, and puts values that do not fit into the unknown arms.

import { definitions } from "./generated/shapes.js";
import type { Definition, Form, Shape } from "./shape.js";

type Json = Record<string, unknown>;

/** Whether a value has a shape. A tagged union accepts any value, as it has an unknown arm. */
export function fits(shape: Shape, value: unknown): boolean {
  if (typeof shape === "string") return fitsPrimitive(shape, value);
  if ("ref" in shape) return fitsDefinition(definitionOf(shape.ref), value);
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

/** Replace, in place, each value that does not fit its class by the unknown arm of its union. */
export function revive(shape: Shape, value: unknown): unknown {
  if (!holdsUnion(shape) || typeof shape === "string") return value;
  if ("ref" in shape) return reviveDefinition(definitionOf(shape.ref), value);
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

function definitionOf(name: string): Definition {
  const definition = definitions[name];
  if (definition === undefined) throw new Error(`the contract has no definition ${name}`);
  return definition;
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

function fitsDefinition(definition: Definition, value: unknown): boolean {
  if ("tag" in definition) return true;
  if ("shape" in definition) return fits(definition.shape, value);
  return isObject(value) && membersOf(definition).every((member) => fitsMember(member, value));
}

function fitsMember({ name, optional, shape }: Member, value: Json): boolean {
  return Object.hasOwn(value, name) ? fits(shape, value[name]) : optional;
}

function reviveDefinition(definition: Definition, value: unknown): unknown {
  if ("shape" in definition) return revive(definition.shape, value);
  if ("tag" in definition) {
    const { tag: member, classes } = definition;
    const tag = isObject(value) && Object.hasOwn(value, member) ? value[member] : undefined;
    const name = typeof tag === "string" && Object.hasOwn(classes, tag) ? classes[tag] : undefined;
    if (name === undefined || !fitsDefinition(definitionOf(name), value)) {
      return new definition.unknown(value);
    }
    return reviveDefinition(definitionOf(name), value);
  }
  if (isObject(value)) {
    for (const { name, shape } of membersOf(definition)) {
      if (holdsUnion(shape) && Object.hasOwn(value, name)) {
        value[name] = revive(shape, value[name]);
      }
    }
    if (definition.form !== undefined) choose(definition.form, value);
  }
  return value;
}

/** Move a tag that the contract does not know, or that does not fit, to the member of unknown ones. */
function choose({ tag, unknown, needs }: Form, value: Json): void {
  const given = value[tag];
  const needed = typeof given === "string" && Object.hasOwn(needs, given) ? needs[given] : undefined;
  if (needed?.every((name) => Object.hasOwn(value, name)) === true) return;
  set(value, unknown, given);
  delete value[tag];
}

interface Member {
  readonly name: string;
  readonly optional: boolean;
  readonly shape: Shape;
}

const lists = new WeakMap<Definition, readonly Member[]>();

function membersOf(definition: { readonly members: Readonly<Record<string, Shape>> }) {
  let list = lists.get(definition);
  if (list === undefined) {
    list = Object.entries(definition.members).map(([key, shape]) => {
      const optional = key.endsWith("?");
      return { name: optional ? key.slice(0, -1) : key, optional, shape };
    });
    lists.set(definition, list);
  }
  return list;
}

const unions = new Map<string, boolean>();

/** Whether a shape contains a tagged union or a class with forms; if not, `revive` has nothing to do. */
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
  const definition = definitionOf(shape.ref);
  const holds =
    "tag" in definition ||
    ("shape" in definition
      ? holdsUnion(definition.shape)
      : definition.form !== undefined || Object.values(definition.members).some(holdsUnion));
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
