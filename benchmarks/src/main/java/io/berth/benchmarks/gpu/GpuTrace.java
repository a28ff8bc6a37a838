package io.berth.benchmarks.gpu;

import io.berth.engine.fixtures.Nodes;
import io.berth.engine.model.Card;
import io.berth.engine.model.CardRequest;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodCards;
import io.berth.engine.model.ResourceAmounts;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/**
 * The pods of one workload mix of the Alibaba 2023 GPU cluster trace ("openb"), and the nodes that
 * all mixes share.
 */
record GpuTrace(String name, List<NodeModel> nodes, List<TracePod> pods) {
  private static final String NODES = "openb_node_list_gpu_node.csv";
  private static final String PODS = "openb_pod_list_";
  private static final long MIB = 1 << 20;

  /** A pod of a trace. */
  record TracePod(
      long milliCpu, long memoryMebibytes, int cards, int milliGpu, Set<String> models) {
    /** Returns the GPU capacity that the pod requests, in thousandths of a card. */
    long totalMilliGpu() {
      return (long) cards * milliGpu;
    }

    PodCards demand() {
      if (cards == 0) {
        return PodCards.none();
      }
      CardRequest request =
          milliGpu < Card.MILLI_CORES
              ? CardRequest.share("main", milliGpu, 0)
              : CardRequest.whole("main", cards);
      return PodCards.of(request).of(models);
    }
  }

  /** Returns the GPU capacity of the cluster, in thousandths of a card. */
  long clusterMilliGpu() {
    return nodes.stream()
        .mapToLong(node -> (long) node.cards().cards().size() * Card.MILLI_CORES)
        .sum();
  }

  /**
   * Reads all traces of a folder, sorted by name.
   *
   * @throws IOException if the folder contains no node list or no pod list, or if a list cannot be
   *     read
   */
  static List<GpuTrace> readAll(Path folder) throws IOException {
    if (!Files.isRegularFile(folder.resolve(NODES))) {
      throw new IOException("there is no " + NODES + " in " + folder);
    }
    List<NodeModel> nodes = nodes(rows(folder.resolve(NODES)));
    Map<String, GpuTrace> traces = new TreeMap<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.sorted().toList()) {
        String name = String.valueOf(file.getFileName());
        if (name.startsWith(PODS)) {
          String trace = name.substring(PODS.length(), name.indexOf('.'));
          traces.put(trace, new GpuTrace(trace, nodes, pods(rows(file))));
        }
      }
    }
    if (traces.isEmpty()) {
      throw new IOException("there is no " + PODS + "<name>.csv or .csv.gz in " + folder);
    }
    return List.copyOf(traces.values());
  }

  private static List<NodeModel> nodes(List<Map<String, String>> rows) {
    List<NodeModel> nodes = new ArrayList<>();
    for (Map<String, String> row : rows) {
      String name = text(row, "sn");
      nodes.add(
          Nodes.bare(name)
              .labels(Map.of("kubernetes.io/hostname", name))
              .milliCpu(number(row, "cpu_milli"))
              .memoryBytes(number(row, "memory_mib") * MIB)
              .allocatable(ResourceAmounts.PODS, 1_000)
              .cards(Collections.nCopies((int) number(row, "gpu"), Card.of(text(row, "model"))))
              .build());
    }
    return List.copyOf(nodes);
  }

  private static List<TracePod> pods(List<Map<String, String>> rows) {
    List<TracePod> pods = new ArrayList<>();
    for (Map<String, String> row : rows) {
      int cards = (int) number(row, "num_gpu");
      String models = row.getOrDefault("gpu_spec", "");
      pods.add(
          new TracePod(
              number(row, "cpu_milli"),
              number(row, "memory_mib"),
              cards,
              cards == 0 ? 0 : (int) number(row, "gpu_milli"),
              cards == 0 || models.isEmpty()
                  ? Set.of()
                  : new HashSet<>(Arrays.asList(models.split("\\|")))));
    }
    return List.copyOf(pods);
  }

  private static String text(Map<String, String> row, String column) {
    String value = row.get(column);
    if (value == null) {
      throw new IllegalArgumentException("no column " + column + " in " + row);
    }
    return value;
  }

  private static long number(Map<String, String> row, String column) {
    return Long.parseLong(text(row, column));
  }

  private static List<Map<String, String>> rows(Path file) throws IOException {
    try (InputStream raw = Files.newInputStream(file);
        InputStream in = file.toString().endsWith(".gz") ? new GZIPInputStream(raw) : raw;
        BufferedReader reader =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      List<String> lines = reader.lines().toList();
      if (lines.isEmpty()) {
        throw new IOException(file + " is empty");
      }
      String[] columns = lines.getFirst().split(",", -1);
      List<Map<String, String>> rows = new ArrayList<>();
      for (String line : lines.subList(1, lines.size())) {
        String[] values = line.split(",", -1);
        if (values.length != columns.length) {
          throw new IOException(file + ": not " + columns.length + " columns: " + line);
        }
        Map<String, String> row = new HashMap<>();
        for (int i = 0; i < columns.length; i++) {
          row.put(columns[i], values[i]);
        }
        rows.add(row);
      }
      return rows;
    }
  }
}
