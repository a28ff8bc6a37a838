package io.berth.engine.policy;

import io.berth.engine.cards.CardRules;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.framework.FilterPlugin;
import io.berth.engine.framework.GaugedScore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** The served policies, each in one revision. */
public final class PolicyTable {
  /**
   * A served policy.
   *
   * @param serial differs between consecutive revisions
   */
  public record Served(int serial, CompiledPolicy policy) {}

  private final Map<String, Served> byName = new TreeMap<>();

  /** One filter for each name, from any policy. */
  private final Map<String, FilterPlugin> filters = new HashMap<>();

  private String defaultName = "";
  private int serials;
  private boolean hasShadows;

  /** Starts to serve this revision; returns the previous one. */
  public Optional<Served> serve(CompiledPolicy policy) {
    policy.filters().forEach(filter -> filters.put(filter.name(), filter));
    Optional<Served> before =
        Optional.ofNullable(byName.put(policy.name(), new Served(serials++, policy)));
    lookForShadows();
    return before;
  }

  private void lookForShadows() {
    hasShadows = byName.values().stream().anyMatch(it -> it.policy().shadow().isPresent());
  }

  /** Returns whether any served policy has a shadow. */
  public boolean hasShadows() {
    return hasShadows;
  }

  /** Serves all policies as new revisions with the same content; returns the previous ones. */
  public List<Served> renew() {
    List<Served> before = List.copyOf(byName.values());
    byName.replaceAll((name, served) -> new Served(serials++, served.policy()));
    return before;
  }

  /** Stops serving the policy; returns the last revision. */
  public Optional<Served> remove(String name) {
    Optional<Served> last = Optional.ofNullable(byName.remove(name));
    lookForShadows();
    return last;
  }

  /** Sets the policy for pods that do not reference one; empty for none. */
  public void setDefault(String name) {
    defaultName = name;
  }

  /** Returns the name of the policy for a pod that references this one, or none. */
  public String nameFor(String named) {
    return named.isEmpty() ? defaultName : named;
  }

  /** Returns a filter with this name and the arguments from any one of the policies. */
  public Optional<FilterPlugin> filterNamed(String name) {
    return Optional.ofNullable(filters.get(name));
  }

  /** Returns the policy's scores that read gauges; none if it is not served. */
  public List<GaugedScore> gaugedScores(String name) {
    Served served = byName.get(name);
    return served == null ? List.of() : served.policy().gaugedScores();
  }

  /** Returns the names of the served policies. */
  public Set<String> names() {
    return byName.keySet();
  }

  /** Returns the GPU card rules for pods that reference this policy, or none. */
  public CardRules cardRules(String named) {
    Served served = byName.get(nameFor(named));
    return served == null ? CardRules.defaults() : served.policy().cards();
  }

  /** Returns the revision of the policy; empty if it is not served. */
  public String revisionOf(String name) {
    return find(name).map(served -> served.policy().revision()).orElse("");
  }

  /** Returns the served policy with this name. */
  public Optional<Served> find(String name) {
    return Optional.ofNullable(byName.get(name));
  }
}
