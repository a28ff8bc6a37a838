package io.berth.sandbox.patch;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How values of one type are merged by apply and by strategic merge patches. The defaults are those
 * of a value nothing is known of: maps merge member by member, lists are replaced as a whole.
 */
interface MergeType {
  /** Nothing is known of the type. */
  MergeType DEDUCED = new MergeType() {};

  /** What the items of a list are told apart by. */
  enum Items {
    /** The list is one value. */
    ATOMIC,
    /** Each item is its own name. */
    SET,
    /** Items are objects told apart by their {@link MergeType#keys}. */
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

  /** Whether a map is replaced as a whole by apply. */
  default boolean atomic() {
    return false;
  }

  /** How apply tells a list's items apart. */
  default Items items() {
    return Items.ATOMIC;
  }

  /** The members that tell items apart where {@link #items} is MAP. */
  default List<String> keys() {
    return List.of();
  }

  /** What a key is taken for where an item leaves it out. */
  default @Nullable JsonNode keyDefault(String key) {
    return null;
  }

  /** Whether a strategic merge patch merges a list rather than replace it. */
  default boolean patchMerges() {
    return false;
  }

  /** The member a strategic merge patch tells items apart by; absent for lists of scalars. */
  default @Nullable String patchKey() {
    return null;
  }

  /** Whether a strategic merge patch replaces a map as a whole. */
  default boolean patchReplaces() {
    return false;
  }
}
