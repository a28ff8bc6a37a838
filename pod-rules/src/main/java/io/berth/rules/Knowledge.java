package io.berth.rules;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * The knowledge about the values in a tree. Templates are checked before their values are known:
 * unknown values pass, and all other values are checked.
 */
public interface Knowledge {
  /** A tree in which every value is known. */
  Knowledge COMPLETE =
      new Knowledge() {
        @Override
        public boolean isKnown(JsonNode value) {
          return true;
        }

        @Override
        public boolean isOne(JsonNode item) {
          return true;
        }

        @Override
        public boolean isField(String name) {
          return true;
        }
      };

  /** Returns whether a value is known. */
  boolean isKnown(JsonNode value);

  /**
   * Returns whether an item of a list is exactly one item after rendering, and not several or none.
   */
  boolean isOne(JsonNode item);

  /**
   * Returns whether a name in an object is the name of a field, and not a template instruction such
   * as {@code $if}.
   */
  boolean isField(String name);
}
