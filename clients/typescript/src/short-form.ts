// Params that are given as one value instead of an object.

import type { CallOptions } from "./call-options.js";

type Given = readonly [params: object, options: CallOptions | undefined];

/** Return the params and options of a call `f(value, options)` or `f({ [name]: value }, options)`. */
export function alone(
  name: string,
  first: unknown,
  options: CallOptions | undefined,
  tag?: string,
): Given {
  return [isValue(name, first, tag) ? { [name]: first } : ((first ?? {}) as object), options];
}

/** The same for `f(value, rest, options)`, where `rest` are the other params. */
export function withRest(
  name: string,
  first: unknown,
  second: object | undefined,
  third: CallOptions | undefined,
  tag?: string,
): Given {
  return isValue(name, first, tag)
    ? [{ ...second, [name]: first }, third]
    : [(first ?? {}) as object, second];
}

/**
 * Whether this is the value of the param `name`, and not an object of params. If the value is an object
 * with a member `tag`, params are what has no such member, but one with the name of the param.
 */
function isValue(name: string, given: unknown, tag: string | undefined): boolean {
  if (given === undefined) return false;
  if (given === null || typeof given !== "object") return true;
  if (tag === undefined) return false;
  return typeof (given as Record<string, unknown>)[tag] === "string" || !(name in given);
}
