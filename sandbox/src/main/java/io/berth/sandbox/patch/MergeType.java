package io.berth.sandbox.patch;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The merge rules for values of one type, for apply and strategic merge patches. The defaults are
 * those of a value nothing is known of: maps merge member by member, lists are replaced as a whole.
 */
interface MergeType {
  /** Nothing is known of the type. */
  MergeType DEDUCED = new MergeType() {};

  /** The identity of a list's items. */
  enum Items {
    /** The list is one value. */
    ATOMIC,
    /** Each item is its own name. */
    SET,
    /** Items are objects identified by their {@link MergeType#keys}. */
    MAP
  }

  /** The type of the member {@code name} of a map. */
  default MergeType member(String name) {
    return DEDUCED;
  }

  /** The type of a list's items. */
  default MergeType item() {
    return DEDUCED;
  }

  /** Returns whether a map is replaced as a whole by apply. */
  default boolean atomic() {
    return false;
  }

  /** Returns the identity that apply uses for a list's items. */
  default Items items() {
    return Items.ATOMIC;
  }

  /** The members that tell items apart where {@link #items} is MAP. */
  default List<String> keys() {
    return List.of();
  }

  /** Returns the value of a key that an item omits. */
  default @Nullable JsonNode keyDefault(String key) {
    return null;
  }

  /** Returns whether a strategic merge patch merges a list rather than replace it. */
  default boolean patchMerges() {
    return false;
  }

  /** The member a strategic merge patch tells items apart by; absent for lists of scalars. */
  default @Nullable String patchKey() {
    return null;
  }

  /** Returns whether a strategic merge patch replaces a map as a whole. */
  default boolean patchReplaces() {
    return false;
  }
}
