package io.berth.operator.http;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;

/** Named health checks, each of which returns its problem or nothing. */
public final class Health {

  private final ConcurrentMap<String, Supplier<Optional<String>>> live = new ConcurrentHashMap<>();
  private final ConcurrentMap<String, Supplier<Optional<String>>> ready = new ConcurrentHashMap<>();

  /** Adds a liveness check: while it returns a problem, the process should be restarted. */
  public void live(String name, Supplier<Optional<String>> check) {
    live.put(name, check);
  }

  /**
   * Adds a readiness check: while it returns a problem, the replica should not receive requests.
   */
  public void ready(String name, Supplier<Optional<String>> check) {
    ready.put(name, check);
  }

  /** Returns the failing liveness checks with their reasons; empty if there are none. */
  public Map<String, String> liveProblems() {
    return problems(live);
  }

  /** Returns the failing readiness checks with their reasons; empty if there are none. */
  public Map<String, String> readyProblems() {
    return problems(ready);
  }

  /** Returns the failing readiness checks with their reasons, except the named checks. */
  public Map<String, String> readyProblems(Set<String> excluded) {
    Map<String, String> problems = readyProblems();
    problems.keySet().removeAll(excluded);
    return problems;
  }

  private static Map<String, String> problems(Map<String, Supplier<Optional<String>>> checks) {
    Map<String, String> problems = new LinkedHashMap<>();
    checks.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(check -> check.getValue().get().ifPresent(p -> problems.put(check.getKey(), p)));
    return problems;
  }
}
