package io.berth.crds;

import com.fasterxml.jackson.annotation.JsonValue;

/** The type of a parameter's values. */
public enum ParameterType {
  /** A text. */
  STRING("string"),
  /** A whole number. */
  INTEGER("integer"),
  /** true or false. */
  BOOLEAN("boolean"),
  /** A list of texts, which becomes the items of the list that it is written in. */
  STRING_LIST("stringList");

  private final String wireName;

  ParameterType(String wireName) {
    this.wireName = wireName;
  }

  /** The name in a manifest: string, integer, boolean or stringList. */
  @JsonValue
  public String wireName() {
    return wireName;
  }
}
