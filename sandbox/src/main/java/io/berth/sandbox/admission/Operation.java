package io.berth.sandbox.admission;

/** What a request does, as admission names it. */
public enum Operation {
  CREATE,
  UPDATE,
  DELETE,
  CONNECT
}
