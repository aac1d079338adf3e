// Names of files. Without VS Code.

const LONGEST = 80;

/** A title as the name of a file that every system accepts; never empty or hidden. */
export function fileNameOf(title: string): string {
  const name = title
    .replace(/[\p{Cc}\p{Cf}\p{Surrogate}/\\:*?"<>|]+/gu, " ")
    .replace(/\s+/g, " ")
    .slice(0, LONGEST)
    .replace(/\p{Surrogate}$/u, "")
    .replace(/^[\s.]+|[\s.]+$/g, "");
  return name === "" ? "session" : name;
}
