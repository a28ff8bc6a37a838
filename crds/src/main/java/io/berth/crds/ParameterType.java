package io.berth.crds;

import com.fasterxml.jackson.annotation.JsonValue;

/** The type of a parameter's values. */
public enum ParameterType {
  /** A string. */
  STRING("string"),
  /** An integer. */
  INTEGER("integer"),
  /** true or false. */
  BOOLEAN("boolean"),
  /** A list of strings, which expands into the list in which it is used. */
  STRING_LIST("stringList");

  private final String wireName;

  ParameterType(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the name in manifests: string, integer, boolean, or stringList. */
  @JsonValue
  public String wireName() {
    return wireName;
  }
}
