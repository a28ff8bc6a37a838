package io.berth.sandbox.store;

import java.util.List;

/**
 * The definition of a bucket in the store. Resources can share a bucket: the versions of a custom
 * resource do, and so do the two event resources.
 *
 * @param id unique ID of the bucket, for example {@code apps/deployments} or {@code pods}
 * @param fields the fields supported by field selectors, including metadata.name and
 *     metadata.namespace
 */
public record Storage(String id, List<SelectableField> fields) {

  public Storage {
    fields = List.copyOf(fields);
  }

  /** Returns the position of a field in {@link #fields()}, or -1 if it is not supported. */
  public int fieldPosition(String name) {
    for (int i = 0; i < fields.size(); i++) {
      if (fields.get(i).name().equals(name)) {
        return i;
      }
    }
    return -1;
  }
}
