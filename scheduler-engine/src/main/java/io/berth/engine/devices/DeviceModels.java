package io.berth.engine.devices;

import io.berth.engine.cards.ClaimedCards;
import io.berth.engine.model.Card;
import io.berth.engine.model.ResourceAmounts;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The kinds of devices of all nodes, and the parts of cards that claims ask for. */
final class DeviceModels {
  private static final int WHOLE = Card.MILLI_CORES;

  /** A kind of device, with the number of nodes that have it. */
  private static final class Known {
    final KnownDevice sample;
    int nodes;

    Known(DeviceModel model) {
      DeviceId id = new DeviceId(model.driver(), "", "");
      DeviceSlice slice =
          new DeviceSlice(
              "",
              model.driver(),
              "",
              0,
              1,
              false,
              new DeviceReach.NoNodes(),
              List.of(model.content()),
              List.of());
      sample = new KnownDevice(slice, model.content(), id, new DeviceUse());
    }
  }

  private final DeviceTable table;
  private final Map<DeviceModel, Known> known = new HashMap<>();
  private long version;

  DeviceModels(DeviceTable table) {
    this.table = table;
  }

  /** Returns a version that changes when kinds of devices, or classes, change. */
  long version() {
    return version + table.classes().version();
  }

  /** Adds the kinds of devices of a node. */
  void add(Set<DeviceModel> models) {
    for (DeviceModel model : models) {
      Known of = known.get(model);
      if (of == null) {
        of = new Known(model);
        known.put(model, of);
        version++;
      }
      of.nodes++;
    }
  }

  /** Removes the kinds of devices of a node. */
  void remove(Set<DeviceModel> models) {
    for (DeviceModel model : models) {
      Known of = known.get(model);
      if (of != null && --of.nodes == 0) {
        known.remove(model);
        version++;
      }
    }
  }

  /**
   * Returns what claims ask for. Pods may have whole cards, or a part of one, as in the mix of pods
   * with cards. Of alternatives, the best one counts, and of different models the mean part.
   */
  ClaimedCards.Share shareOf(List<ClaimSpec> claims, ResourceAmounts extended) {
    Sum sum = new Sum();
    for (ClaimSpec claim : claims) {
      for (DeviceRequest request : claim.requests()) {
        if (!request.asks().isEmpty()) {
          add(request.asks().getFirst(), sum);
        }
      }
    }
    for (int i = 0; i < extended.size(); i++) {
      String resource = extended.name(i);
      long count = extended.amount(i);
      table
          .classes()
          .servingResource(resource)
          .ifPresent(
              of ->
                  add(
                      new DeviceAsk(
                          resource,
                          of.name(),
                          DeviceAsk.EXACT_COUNT,
                          count,
                          false,
                          List.of(),
                          List.of(),
                          Map.of()),
                      sum));
    }
    return sum.share();
  }

  /** The sum of the requests of a pod. */
  private static final class Sum {
    long whole;
    int part;
    final Set<String> models = new TreeSet<>();
    boolean anyModel;

    ClaimedCards.Share share() {
      if (whole == 0 && part == 0) {
        return ClaimedCards.Share.NONE;
      }
      return new ClaimedCards.Share(
          whole > 0 ? (int) Math.min(whole, DeviceSearch.MOST_RESULTS) : 1,
          whole > 0 ? WHOLE : part,
          anyModel ? Set.of() : models);
    }
  }

  private void add(DeviceAsk ask, Sum sum) {
    Optional<DeviceClass> found = table.classes().named(ask.className());
    if (found.isEmpty() || ask.adminAccess()) {
      return;
    }
    Set<String> models = new TreeSet<>();
    long parts = 0;
    int matches = 0;
    for (Map.Entry<DeviceModel, Known> entry : known.entrySet()) {
      DeviceModel model = entry.getKey();
      if (model.content().capacity().keySet().containsAll(ask.capacity().keySet())
          && table.selectors().maySelect(found.get().selectors(), entry.getValue().sample)
          && table.selectors().maySelect(ask.selectors(), entry.getValue().sample)) {
        models.add(model.card());
        parts += model.content().shared() ? partOf(model.content(), ask.capacity()) : model.size();
        matches++;
      }
    }
    if (matches == 0) {
      return;
    }
    int part = (int) ((parts + matches - 1) / matches);
    if (part >= WHOLE) {
      sum.whole += ask.wantsAll() ? 1 : ask.count();
    } else {
      sum.part = Math.max(sum.part, part);
    }
    sum.anyModel |= models.size() == cards();
    sum.models.addAll(models);
  }

  private int cards() {
    Set<String> cards = new TreeSet<>();
    known.keySet().forEach(model -> cards.add(model.card()));
    return cards.size();
  }

  /**
   * Returns the part of a shared device that a request blocks for others, in thousandths: that of
   * the capacity of which it takes most.
   */
  static int partOf(Device device, Map<String, BigDecimal> requested) {
    int part = 0;
    for (Map.Entry<String, BigDecimal> amount :
        RequestedCapacity.of(device, requested).entrySet()) {
      BigDecimal total = device.capacity().get(amount.getKey()).value();
      if (total.signum() > 0) {
        part =
            Math.max(
                part, WHOLE - DeviceCard.thousandthsOf(total.subtract(amount.getValue()), total));
      }
    }
    return device.capacity().isEmpty() ? 0 : Math.min(part, WHOLE);
  }
}
