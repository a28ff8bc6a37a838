package io.berth.engine.volume;

import io.berth.engine.model.StorageObject;

/**
 * A VolumeAttachment: a volume that is attached to a node, whether or not a pod there uses it.
 *
 * @param driver the CSI driver that attaches it
 */
public record VolumeAttachment(String name, String driver, String volumeName, String nodeName)
    implements StorageObject {

  /** The kind, as in the API. */
  public static final String KIND = "VolumeAttachment";

  @Override
  public String kind() {
    return KIND;
  }

  @Override
  public String namespace() {
    return "";
  }
}
