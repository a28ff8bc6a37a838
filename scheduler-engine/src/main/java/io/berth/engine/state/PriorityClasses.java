package io.berth.engine.state;

import io.berth.engine.model.PriorityClassModel;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The values of PriorityClasses, and the classes that protect their pods from eviction. */
public final class PriorityClasses {
  private final Map<String, PriorityClassModel> protecting = new HashMap<>();
  private final Map<String, Integer> values = new HashMap<>();
  private long version;

  /** Returns a version that grows with every change of protection. */
  public long version() {
    return version;
  }

  /** Adds or updates a class; returns whether the protection of any pod may have changed. */
  public boolean put(PriorityClassModel priorityClass) {
    values.put(priorityClass.name(), priorityClass.value());
    if (!priorityClass.nonPreemptible()) {
      return unprotect(priorityClass.name());
    }
    boolean changed = !priorityClass.equals(protecting.put(priorityClass.name(), priorityClass));
    version += changed ? 1 : 0;
    return changed;
  }

  /** Removes a class; returns whether the protection of any pod may have changed. */
  public boolean remove(String name) {
    values.remove(name);
    return unprotect(name);
  }

  /** Returns the priority of a class; empty if there is no such class. */
  public Optional<Integer> valueOf(String name) {
    return Optional.ofNullable(values.get(name));
  }

  private boolean unprotect(String name) {
    boolean changed = protecting.remove(name) != null;
    version += changed ? 1 : 0;
    return changed;
  }

  /** Returns whether any class protects its pods from eviction. */
  public boolean protectAny() {
    return !protecting.isEmpty();
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
