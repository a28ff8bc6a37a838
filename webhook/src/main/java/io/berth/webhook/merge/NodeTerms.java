package io.berth.webhook.merge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Required node selector terms as a formula in disjunctive normal form: at least one term must
 * match, and a term matches if all of its requirements match.
 *
 * <p>Two lists are combined with AND by combining each term of one with each term of the other. A
 * term without requirements matches no node, so it is omitted. A term that contains all
 * requirements of another term is redundant (A or (A and B) is A), so it is removed. The minimal
 * list keeps the order in which its terms first appear, so combining the result with the same list
 * again does not change it.
 */
final class NodeTerms {
  /** The maximum number of terms after redundant ones are removed. */
  static final int LIMIT = 64;

  /** The maximum length of an input list, because removing redundant terms takes quadratic time. */
  private static final int INPUT_LIMIT = 512;

  private final List<Term> terms;

  private NodeTerms(List<Term> terms) {
    this.terms = terms;
  }

  /** A term: its requirements by canonical text, each in the form in which it first occurred. */
  private record Term(Map<String, Requirement> requirements) {
    boolean contains(Term other) {
      return requirements.keySet().containsAll(other.requirements.keySet());
    }

    Term and(Term other) {
      Map<String, Requirement> all = new LinkedHashMap<>(requirements);
      other.requirements.forEach(all::putIfAbsent);
      return new Term(all);
    }
  }

  private record Requirement(String list, JsonNode node) {}

  /**
   * Reads a {@code nodeSelectorTerms} list.
   *
   * @return the terms; empty if the list is too long
   */
  static Optional<NodeTerms> read(JsonNode nodeSelectorTerms) {
    if (nodeSelectorTerms.size() > INPUT_LIMIT) {
      return Optional.empty();
    }
    List<Term> terms = new ArrayList<>();
    for (JsonNode term : nodeSelectorTerms) {
      Map<String, Requirement> requirements = new LinkedHashMap<>();
      for (String list : List.of("matchExpressions", "matchFields")) {
        for (JsonNode requirement : term.path(list)) {
          requirements.putIfAbsent(
              list + Canonical.of(requirement), new Requirement(list, requirement));
        }
      }
      if (!requirements.isEmpty()) {
        terms.add(new Term(requirements));
      }
    }
    return Optional.of(new NodeTerms(minimal(terms, INPUT_LIMIT)));
  }

  /**
   * Returns the terms that match exactly the nodes that both these and the other terms match.
   *
   * @return the combined terms; empty if there would be more than {@link #LIMIT}, or if the product
   *     of the two lists is too large
   */
  Optional<NodeTerms> and(NodeTerms others) {
    if ((long) terms.size() * others.terms.size() > (long) LIMIT * LIMIT) {
      return Optional.empty();
    }
    List<Term> product = new ArrayList<>(terms.size() * others.terms.size());
    for (Term mine : terms) {
      for (Term theirs : others.terms) {
        product.add(mine.and(theirs));
      }
    }
    List<Term> kept = minimal(product, LIMIT);
    return kept.size() <= LIMIT ? Optional.of(new NodeTerms(kept)) : Optional.empty();
  }

  boolean fits() {
    return terms.size() <= LIMIT;
  }

  /**
   * Returns the terms as a {@code nodeSelectorTerms} list. If there is none, the list has one empty
   * term, which matches no node.
   */
  ArrayNode write() {
    ArrayNode list = JsonNodeFactory.instance.arrayNode(terms.size());
    for (Term term : terms) {
      ObjectNode written = list.addObject();
      for (Requirement requirement : term.requirements.values()) {
        written.withArray(requirement.list).add(requirement.node);
      }
    }
    if (list.isEmpty()) {
      list.addObject();
    }
    return list;
  }

  /**
   * Returns the terms that are not redundant, in their original order. Stops early if there are
   * more than the limit, and then returns more than the limit.
   */
  private static List<Term> minimal(List<Term> terms, int limit) {
    List<Integer> smallestFirst = new ArrayList<>(terms.size());
    for (int i = 0; i < terms.size(); i++) {
      smallestFirst.add(i);
    }
    smallestFirst.sort(Comparator.comparingInt(i -> terms.get(i).requirements.size()));
    List<Integer> kept = new ArrayList<>();
    for (int index : smallestFirst) {
      Term term = terms.get(index);
      if (kept.stream().noneMatch(smaller -> term.contains(terms.get(smaller)))) {
        kept.add(index);
        if (kept.size() > limit) {
          break;
        }
      }
    }
    return kept.stream().sorted().map(terms::get).toList();
  }
}
