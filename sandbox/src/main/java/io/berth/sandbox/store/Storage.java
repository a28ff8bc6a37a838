package io.berth.sandbox.store;

import java.util.List;

/**
 * A bucket of the store. Several resources may share one: the versions of a custom resource, and
 * the two views of events.
 *
 * @param id unique among buckets, for instance {@code apps/deployments} or {@code pods}
 * @param fields what field selectors may name, beyond nothing: metadata.name and metadata.namespace
 *     must be listed too
 */
public record Storage(String id, List<SelectableField> fields) {

  public Storage {
    fields = List.copyOf(fields);
  }

  /** The position of a field in {@link #fields()}, or -1. */
  public int fieldPosition(String name) {
    for (int i = 0; i < fields.size(); i++) {
      if (fields.get(i).name().equals(name)) {
        return i;
      }
    }
    return -1;
  }
}
