package io.berth.engine.state;

import io.berth.engine.model.ResourceAmounts;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Resource names as column numbers. CPU, memory and ephemeral storage are always 0, 1 and 2; the
 * others have a number as long as something uses them.
 */
public final class ResourceNames {
  public static final int CPU = 0;
  public static final int MEMORY = 1;
  public static final int EPHEMERAL_STORAGE = 2;
  private static final int FIXED = 3;

  private final Map<String, Integer> ids = new HashMap<>();
  private final List<String> names = new ArrayList<>();
  private final List<Integer> uses = new ArrayList<>();
  private final Deque<Integer> free = new ArrayDeque<>();

  ResourceNames() {
    for (String name :
        List.of(ResourceAmounts.CPU, ResourceAmounts.MEMORY, ResourceAmounts.EPHEMERAL_STORAGE)) {
      ids.put(name, names.size());
      names.add(name);
      uses.add(1);
    }
  }

  /** The resource's column; -1 where nothing in the cluster names it. */
  public int idOf(String name) {
    return ids.getOrDefault(name, -1);
  }

  public String nameOf(int id) {
    return names.get(id);
  }

  /** How many columns there are, those not in use included. */
  int columns() {
    return names.size();
  }

  int acquire(String name) {
    Integer known = ids.get(name);
    if (known != null) {
      uses.set(known, uses.get(known) + 1);
      return known;
    }
    int id;
    if (free.isEmpty()) {
      id = names.size();
      names.add(name);
      uses.add(1);
    } else {
      id = free.pop();
      names.set(id, name);
      uses.set(id, 1);
    }
    ids.put(name, id);
    return id;
  }

  void release(int id) {
    int left = uses.get(id) - 1;
    uses.set(id, left);
    if (left == 0 && id >= FIXED) {
      ids.remove(names.get(id));
      free.push(id);
    }
  }
}
