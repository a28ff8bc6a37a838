package io.berth.demo.history;

import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Amounts of resources.
 *
 * @param thousandths amounts by resource name, in thousandths of the unit (CPU, byte, or pod)
 */
public record Amounts(SortedMap<String, Long> thousandths) {

  /** No resources. */
  public static final Amounts NONE = new Amounts(new TreeMap<>());

  private static final BigDecimal THOUSAND = BigDecimal.valueOf(1000);

  public Amounts {
    thousandths = Collections.unmodifiableSortedMap(new TreeMap<>(thousandths));
  }

  /** Converts Kubernetes quantities. */
  public static Amounts of(Map<String, Quantity> quantities) {
    SortedMap<String, Long> amounts = new TreeMap<>();
    quantities.forEach(
        (resource, quantity) ->
            amounts.put(
                resource, quantity.getNumericalAmount().multiply(THOUSAND).longValueExact()));
    return new Amounts(amounts);
  }

  /** Returns the sum of both. */
  public Amounts plus(Amounts other) {
    SortedMap<String, Long> sum = new TreeMap<>(thousandths);
    other.thousandths.forEach((resource, amount) -> sum.merge(resource, amount, Long::sum));
    return new Amounts(sum);
  }

  /** Returns the larger of both amounts for each resource. */
  public Amounts max(Amounts other) {
    SortedMap<String, Long> larger = new TreeMap<>(thousandths);
    other.thousandths.forEach((resource, amount) -> larger.merge(resource, amount, Long::max));
    return new Amounts(larger);
  }

  /** Returns the amounts of those resources of which the other ones are more than zero. */
  public Amounts of(Amounts other) {
    SortedMap<String, Long> some = new TreeMap<>(thousandths);
    some.keySet().removeIf(resource -> other.thousandths.getOrDefault(resource, 0L) <= 0);
    return new Amounts(some);
  }

  /** Returns the amounts of all resources but the given ones. */
  public Amounts without(Set<String> resources) {
    SortedMap<String, Long> some = new TreeMap<>(thousandths);
    some.keySet().removeAll(resources);
    return new Amounts(some);
  }

  /** Returns the amounts of those resources that the other ones name, even with zero. */
  public Amounts ofThoseIn(Amounts other) {
    SortedMap<String, Long> some = new TreeMap<>(thousandths);
    some.keySet().retainAll(other.thousandths.keySet());
    return new Amounts(some);
  }

  /**
   * Returns whether these amounts fit into a capacity. A resource that the capacity does not list
   * counts as zero.
   */
  public boolean fitInto(Amounts capacity) {
    return thousandths.entrySet().stream()
        .allMatch(
            entry ->
                entry.getValue() <= 0
                    || entry.getValue() <= capacity.thousandths.getOrDefault(entry.getKey(), 0L));
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    thousandths.forEach(
        (resource, amount) ->
            text.append(text.isEmpty() ? "" : ", ")
                .append(resource)
                .append(' ')
                .append(
                    BigDecimal.valueOf(amount)
                        .divide(THOUSAND)
                        .stripTrailingZeros()
                        .toPlainString()));
    return text.toString();
  }
}
