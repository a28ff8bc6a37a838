package io.berth.engine.state;

import io.berth.engine.model.ResourceAmounts;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Resource names as column numbers. CPU, memory and ephemeral storage are always 0, 1 and 2;
 * another resource has a column as long as some node offers it. What pods alone name has none:
 * anybody may invent names, and a column is as long as the cluster.
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

  /** The resource's column; -1 where no node offers it. */
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

  /** Changes whenever a resource gets a column or loses it. */
  public long version() {
    return version;
  }

  /** One more than the largest column that was ever in use. */
  int columns() {
    return names.size();
  }

  /** One more node offers the resource. */
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

  /** One node less offers the resource; answers whether it was the last, and the column is free. */
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
