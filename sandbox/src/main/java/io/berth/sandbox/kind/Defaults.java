package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Setters for fields that are missing or null. */
final class Defaults {
  private Defaults() {}

  static void text(ObjectNode object, String field, String value) {
    if (!object.hasNonNull(field)) {
      object.put(field, value);
    }
  }

  static void number(ObjectNode object, String field, long value) {
    if (!object.hasNonNull(field)) {
      object.put(field, value);
    }
  }

  static void flag(ObjectNode object, String field, boolean value) {
    if (!object.hasNonNull(field)) {
      object.put(field, value);
    }
  }

  static void object(ObjectNode object, String field) {
    if (!object.hasNonNull(field)) {
      object.putObject(field);
    }
  }
}
