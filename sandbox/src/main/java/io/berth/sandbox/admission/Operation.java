package io.berth.sandbox.admission;

/** The operation of an admission request, named as in an AdmissionReview. */
public enum Operation {
  CREATE,
  UPDATE,
  DELETE,
  CONNECT
}
