package io.berth.sandbox.admission;

/** The operation of a request, as admission names it. */
public enum Operation {
  CREATE,
  UPDATE,
  DELETE,
  CONNECT
}
