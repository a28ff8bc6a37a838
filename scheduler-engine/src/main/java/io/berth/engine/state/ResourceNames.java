package io.berth.engine.state;

import io.berth.engine.model.ResourceAmounts;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Column numbers of resources. CPU, memory and ephemeral storage always have columns 0, 1 and 2.
 * Another resource has a column as long as any node offers it. Resources that only pods name have
 * none: users may write arbitrary names, and a column has an entry for each node.
 */
public final class ResourceNames {
  public static final int CPU = 0;
  public static final int MEMORY = 1;
  public static final int EPHEMERAL_STORAGE = 2;
  static final int FIXED = 3;

  private final Map<String, Integer> ids = new HashMap<>();
  private final List<String> names = new ArrayList<>();
  private final List<Integer> offers = new ArrayList<>();
  private final Deque<Integer> free = new ArrayDeque<>();
  private long version;

  ResourceNames() {
    for (String name :
        List.of(ResourceAmounts.CPU, ResourceAmounts.MEMORY, ResourceAmounts.EPHEMERAL_STORAGE)) {
      ids.put(name, names.size());
      names.add(name);
      offers.add(1);
    }
  }

  /** Returns the resource's column; -1 if no node offers it. */
  public int idOf(String name) {
    return ids.getOrDefault(name, -1);
  }

  public String nameOf(int id) {
    return names.get(id);
  }

  /** Returns the number of resources with a column. */
  public int size() {
    return ids.size();
  }

  /** Returns a version that changes whenever a resource gets or loses its column. */
  public long version() {
    return version;
  }

  /** Returns the largest column ever in use plus one. */
  int columns() {
    return names.size();
  }

  /** Adds a node that offers the resource. */
  int acquire(String name) {
    Integer known = ids.get(name);
    if (known != null) {
      offers.set(known, offers.get(known) + 1);
      return known;
    }
    int id;
    if (free.isEmpty()) {
      id = names.size();
      names.add(name);
      offers.add(1);
    } else {
      id = free.pop();
      names.set(id, name);
      offers.set(id, 1);
    }
    ids.put(name, id);
    version++;
    return id;
  }

  /**
   * Removes a node that offers the resource; returns whether it was the last, and the column is
   * free.
   */
  boolean release(int id) {
    int left = offers.get(id) - 1;
    offers.set(id, left);
    if (left > 0 || id < FIXED) {
      return false;
    }
    ids.remove(names.get(id));
    free.push(id);
    version++;
    return true;
  }
}
