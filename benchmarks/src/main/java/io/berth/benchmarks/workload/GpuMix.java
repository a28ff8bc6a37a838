package io.berth.benchmarks.workload;

import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.Card;
import io.berth.engine.model.CardRequest;
import io.berth.engine.model.PodCards;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The kinds of pods in the default trace of Alibaba's 2023 GPU cluster ("openb"), with their
 * frequencies. Most pods request a share of a card or one card, some none or eight.
 */
final class GpuMix {
  private static final String KINDS = "gpu-mix.csv";

  private final List<PodKind> kinds = new ArrayList<>();

  /** The cumulative number of pods up to and including each kind. */
  private final List<Integer> upTo = new ArrayList<>();

  GpuMix() {
    try (InputStream in = GpuMix.class.getResourceAsStream(KINDS)) {
      if (in == null) {
        throw new IllegalStateException("the resource " + KINDS + " is not on the class path");
      }
      new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))
          .lines()
          .skip(1)
          .forEach(line -> add(line.split(",", -1)));
    } catch (IOException e) {
      throw new UncheckedIOException("the resource " + KINDS + " cannot be read", e);
    }
  }

  private void add(String[] row) {
    int pods = Integer.parseInt(row[0]);
    int cards = Integer.parseInt(row[3]);
    PodKind plain = PodKind.plain(Long.parseLong(row[1]), Long.parseLong(row[2]) * PodKind.MIB);
    kinds.add(
        new PodKind(
            plain.labels(),
            Pods.from(plain.spec()).cards(demand(cards, Integer.parseInt(row[4]))).spec()));
    upTo.add(pods + (upTo.isEmpty() ? 0 : upTo.getLast()));
  }

  private static PodCards demand(int cards, int milliGpu) {
    if (cards == 0) {
      return PodCards.none();
    }
    return PodCards.of(
        milliGpu < Card.MILLI_CORES
            ? CardRequest.share("main", milliGpu, 0)
            : CardRequest.whole("main", cards));
  }

  /** Draws a kind with its frequency in the trace. */
  PodKind draw(Random random) {
    int drawn = random.nextInt(upTo.getLast());
    int kind = 0;
    while (upTo.get(kind) <= drawn) {
      kind++;
    }
    return kinds.get(kind);
  }
}
