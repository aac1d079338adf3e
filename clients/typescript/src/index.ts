/// <reference types="node" preserve="true" />

export type { CallOptions } from "./call-options.js";
export { Sessiond } from "./client.js";
export type { ClientOptions, Reconnected } from "./client.js";
export type { DaemonOptions, Exit } from "./connection.js";
export { ClientError, SessiondError, isSessiondError } from "./errors.js";
export type { ClientErrorKind, ErrorKind } from "./errors.js";
export type { Disposable } from "./events.js";
export { Stream } from "./feeds.js";
export type { Lost, SessionChange, SessionReconnected, SubscriptionChange } from "./feeds.js";
export type { ErrorData } from "./generated/errors.js";
export type { MethodTypes } from "./generated/methods.js";
export * from "./generated/types.js";
export { JsonText } from "./json-text.js";
export { assistantMessage, userText } from "./message.js";
export type { Items, Paged } from "./pages.js";
export { Session, Subscription } from "./session.js";
export { SessionManager } from "./session-manager.js";
export type {
  NewSessionOptions,
  PiSessionInfo,
  SessionListProgress,
} from "./session-manager.js";
export type {
  AgentMessage,
  PiSessionHeader,
  PiTreeNode,
  PiUsageEntry,
  SessionContext,
  SessionEntry,
  SessionProjection,
} from "./pi-types.js";
export type { Restored } from "./sessions.js";
export { nested } from "./tree.js";
export type { SessionTreeNode } from "./tree.js";
