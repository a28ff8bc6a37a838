package io.berth.sandbox.patch;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The merge rules for values of a type, for apply and strategic merge patches. The defaults are for
 * values without a schema: maps are merged member by member, and lists are replaced as a whole.
 */
interface MergeType {
  /** The rules for values without a schema. */
  MergeType DEDUCED = new MergeType() {};

  /** The way in which the items of a list are identified. */
  enum Items {
    /** Items have no identity; the list is a single value. */
    ATOMIC,
    /** Items are identified by their value. */
    SET,
    /** Items are objects identified by their {@link MergeType#keys}. */
    MAP
  }

  /** Returns the type of the member {@code name} of a map. */
  default MergeType member(String name) {
    return DEDUCED;
  }

  /** Returns the type of a list's items. */
  default MergeType item() {
    return DEDUCED;
  }

  /** Returns whether a map is replaced as a whole by apply. */
  default boolean atomic() {
    return false;
  }

  /** Returns how apply identifies the items of a list. */
  default Items items() {
    return Items.ATOMIC;
  }

  /** Returns the members that identify an item if {@link #items} is MAP. */
  default List<String> keys() {
    return List.of();
  }

  /** Returns the default of a key that an item omits; null if it has none. */
  default @Nullable JsonNode keyDefault(String key) {
    return null;
  }

  /** Returns whether a strategic merge patch merges a list instead of replacing it. */
  default boolean patchMerges() {
    return false;
  }

  /** Returns the merge key of a list in strategic merge patches; null for lists of scalars. */
  default @Nullable String patchKey() {
    return null;
  }

  /** Returns whether a strategic merge patch replaces a map as a whole. */
  default boolean patchReplaces() {
    return false;
  }
}
