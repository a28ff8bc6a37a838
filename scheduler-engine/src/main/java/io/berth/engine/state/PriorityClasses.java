package io.berth.engine.state;

import io.berth.engine.model.PriorityClassModel;
import java.util.HashMap;
import java.util.Map;

/** The PriorityClasses that protect their pods from eviction, by name. */
public final class PriorityClasses {
  private final Map<String, PriorityClassModel> protecting = new HashMap<>();
  private long version;

  /** Grows with every change of what is protected. */
  public long version() {
    return version;
  }

  /** Takes a class in; returns whether what is protected has changed. */
  public boolean put(PriorityClassModel priorityClass) {
    if (!priorityClass.nonPreemptible()) {
      return remove(priorityClass.name());
    }
    boolean changed = !priorityClass.equals(protecting.put(priorityClass.name(), priorityClass));
    version += changed ? 1 : 0;
    return changed;
  }

  /** Forgets a class; returns whether what is protected has changed. */
  public boolean remove(String name) {
    boolean changed = protecting.remove(name) != null;
    version += changed ? 1 : 0;
    return changed;
  }

  /** Returns whether the class of a pod forbids evicting it for a pod of the priority. */
  public boolean protects(PodEntry victim, int priority) {
    if (protecting.isEmpty()) {
      return false;
    }
    PriorityClassModel found = protecting.get(victim.spec().priorityClass());
    return found != null && found.protectsFrom(priority);
  }
}
