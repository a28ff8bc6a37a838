package io.berth.engine.cards;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Numbers for the models of existing cards; the number of a model without cards is reused. */
final class CardModels {
  private final Map<String, Integer> idByName = new HashMap<>();
  private final List<String> names = new ArrayList<>();
  private final List<Integer> cards = new ArrayList<>();
  private final Deque<Integer> unused = new ArrayDeque<>();

  /** Adds a card of a model, and returns the number of the model. */
  int acquire(String name) {
    Integer known = idByName.get(name);
    if (known == null) {
      known = unused.isEmpty() ? names.size() : unused.pop();
      if (known == names.size()) {
        names.add(name);
        cards.add(0);
      } else {
        names.set(known, name);
      }
      idByName.put(name, known);
    }
    cards.set(known, cards.get(known) + 1);
    return known;
  }

  /** Removes a card of the model. */
  void release(int id) {
    int left = cards.get(id) - 1;
    cards.set(id, left);
    if (left == 0) {
      idByName.remove(names.get(id));
      unused.push(id);
    }
  }

  String name(int id) {
    return names.get(id);
  }

  /** Returns the models with at least one card. */
  Set<String> inUse() {
    return new TreeSet<>(idByName.keySet());
  }
}
