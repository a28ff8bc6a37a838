package io.berth.sandbox.controller;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.sandbox.store.StoredObject;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;

/** Hashes of pod templates, by which controllers tell their revisions. */
final class TemplateHash {
  /** The label of a pod with the hash of the template from which it was made. */
  static final String REVISION = "controller-revision-hash";

  private static final String SAFE = "bcdfghjklmnpqrstvwxz2456789";

  private TemplateHash() {}

  /** Returns whether a pod was made from the template with this hash. */
  static boolean isOf(StoredObject pod, String hash) {
    return hash.equals(pod.labels().get(REVISION));
  }

  /**
   * Returns the hash of a template: up to ten characters of the real controllers' alphabet, which
   * has no vowels.
   */
  static String of(JsonNode template) {
    CRC32 crc = new CRC32();
    crc.update(template.toString().getBytes(StandardCharsets.UTF_8));
    StringBuilder safe = new StringBuilder();
    for (char digit : Long.toString(crc.getValue()).toCharArray()) {
      safe.append(SAFE.charAt(digit % SAFE.length()));
    }
    return safe.toString();
  }
}
