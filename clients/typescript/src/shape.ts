// How the contract describes JSON values.

import type { Unknown } from "./unknown.js";

export type Shape =
  | "string"
  | "integer"
  | "number"
  | "boolean"
  | "null"
  | "any"
  | { readonly ref: string }
  | { readonly array: Shape }
  | { readonly tuple: readonly Shape[] }
  | { readonly map: Shape }
  | { readonly nullable: Shape }
  | { readonly oneOf: readonly Shape[] }
  | { readonly literal: readonly unknown[] };

export type Definition =
  /** Names of members that may be absent end in `?`. */
  | { readonly members: Readonly<Record<string, Shape>>; readonly form?: Form }
  | {
      readonly tag: string;
      readonly classes: Readonly<Record<string, string>>;
      readonly unknown: new (raw: unknown) => Unknown;
    }
  | { readonly shape: Shape };

/** A class with a form for each value of a member, which needs other members. */
export interface Form {
  readonly tag: string;
  /** Where the value stays if the class has no such form. */
  readonly unknown: string;
  readonly needs: Readonly<Record<string, readonly string[]>>;
}
