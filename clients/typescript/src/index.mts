// For `import`: the same modules as for `require`, so that a program has each class once.
export * from "./index.js";
