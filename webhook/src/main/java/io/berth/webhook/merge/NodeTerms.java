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
 * Required node terms as a formula in disjunctive normal form: a list of terms of which one must
 * hold, each a set of requirements that must all hold.
 *
 * <p>Two lists are AND-ed by crossing them. A term without requirements matches no node, so it is
 * left out; a term that contains all requirements of another one adds nothing to the list (A or (A
 * and B) is A) and is absorbed. The minimal list keeps the order in which its terms first appear,
 * so AND-ing the same list again gives the same list.
 */
final class NodeTerms {
  /** More terms than this, after absorption, are refused. */
  static final int LIMIT = 64;

  /** Longer lists are not even looked at: absorbing is quadratic. */
  private static final int INPUT_LIMIT = 512;

  private final List<Term> terms;

  private NodeTerms(List<Term> terms) {
    this.terms = terms;
  }

  /** Requirements by canonical text, each as it was first written. */
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
   * @return empty when the list is longer than this class is willing to work on
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
   * The terms of which one holds exactly where one of these and one of the others hold.
   *
   * @return empty when that takes more than {@link #LIMIT} terms
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
   * As a {@code nodeSelectorTerms} list; one empty term, which matches no node, where no term is
   * left.
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
   * The terms that no other one absorbs, in the order given; gives up, with more than the limit, as
   * soon as it can.
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
