package io.berth.engine.policy;

import io.berth.engine.cards.CardRules;
import io.berth.engine.framework.FilterPlugin;
import io.berth.engine.framework.GaugedScore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** The policies that serve, each in one revision. */
public final class ServedPolicies {
  /**
   * A policy as it serves.
   *
   * @param serial differs between revisions that were served one after the other
   */
  public record Served(int serial, CompiledPolicy policy) {}

  private final Map<String, Served> byName = new TreeMap<>();

  /** A filter of each name, of whichever policy. */
  private final Map<String, FilterPlugin> filters = new HashMap<>();

  private String defaultName = "";
  private int serials;

  /** From now on this revision serves; answers what served before. */
  public Optional<Served> serve(CompiledPolicy policy) {
    policy.filters().forEach(filter -> filters.put(filter.name(), filter));
    return Optional.ofNullable(byName.put(policy.name(), new Served(serials++, policy)));
  }

  /** The policy serves no more; answers what served before. */
  public Optional<Served> remove(String name) {
    return Optional.ofNullable(byName.remove(name));
  }

  /** Sets the policy for pods that name none; empty for none. */
  public void setDefault(String name) {
    defaultName = name;
  }

  /** The policy's name for a pod that names this one, or none. */
  public String nameFor(String named) {
    return named.isEmpty() ? defaultName : named;
  }

  /** A filter of this name with the arguments of one of the policies, whichever. */
  public Optional<FilterPlugin> filterNamed(String name) {
    return Optional.ofNullable(filters.get(name));
  }

  /** The scores of the policy that read gauges; none where it does not serve. */
  public List<GaugedScore> gaugedScores(String name) {
    Served served = byName.get(name);
    return served == null ? List.of() : served.policy().gaugedScores();
  }

  /** The names of the policies that serve. */
  public Set<String> names() {
    return byName.keySet();
  }

  /** Returns the GPU card rules for pods that name this policy, or none. */
  public CardRules cardRules(String named) {
    Served served = byName.get(nameFor(named));
    return served == null ? CardRules.defaults() : served.policy().cards();
  }

  /** Returns the policy in use with this name. */
  public Optional<Served> find(String name) {
    return Optional.ofNullable(byName.get(name));
  }
}
