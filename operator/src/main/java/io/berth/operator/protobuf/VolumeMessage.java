package io.berth.operator.protobuf;

import io.fabric8.kubernetes.api.model.AWSElasticBlockStoreVolumeSource;
import io.fabric8.kubernetes.api.model.AzureDiskVolumeSource;
import io.fabric8.kubernetes.api.model.CSIVolumeSource;
import io.fabric8.kubernetes.api.model.CinderVolumeSource;
import io.fabric8.kubernetes.api.model.EphemeralVolumeSource;
import io.fabric8.kubernetes.api.model.GCEPersistentDiskVolumeSource;
import io.fabric8.kubernetes.api.model.ISCSIVolumeSource;
import io.fabric8.kubernetes.api.model.ImageVolumeSource;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimVolumeSource;
import io.fabric8.kubernetes.api.model.PortworxVolumeSource;
import io.fabric8.kubernetes.api.model.RBDVolumeSource;
import io.fabric8.kubernetes.api.model.Volume;
import java.io.IOException;

/** The protobuf encoding of a Volume: its name, and what identifies a disk, a claim or an image. */
final class VolumeMessage {
  private static final int NAME = 1;
  private static final int SOURCE = 2;

  private VolumeMessage() {}

  static Volume read(MessageReader in) throws IOException {
    Volume volume = new Volume();
    while (in.next()) {
      switch (in.field()) {
        case NAME -> volume.setName(in.text());
        case SOURCE -> in.message(source -> readSource(source, volume));
        default -> in.skip();
      }
    }
    return volume;
  }

  private static Volume readSource(MessageReader in, Volume volume) throws IOException {
    while (in.next()) {
      switch (in.field()) {
        case 3 -> volume.setGcePersistentDisk(in.message(VolumeMessage::gce));
        case 4 -> volume.setAwsElasticBlockStore(in.message(VolumeMessage::aws));
        case 8 -> volume.setIscsi(in.message(VolumeMessage::iscsi));
        case 10 -> volume.setPersistentVolumeClaim(in.message(VolumeMessage::claim));
        case 11 -> volume.setRbd(in.message(VolumeMessage::rbd));
        case 13 -> volume.setCinder(in.message(VolumeMessage::cinder));
        case 22 -> volume.setAzureDisk(in.message(VolumeMessage::azure));
        case 24 -> volume.setPortworxVolume(in.message(VolumeMessage::portworx));
        case 28 -> volume.setCsi(in.message(VolumeMessage::csi));
        case 29 -> {
          in.skip(); // the pod's own claim has the name of pod and volume
          volume.setEphemeral(new EphemeralVolumeSource());
        }
        case 30 -> volume.setImage(in.message(VolumeMessage::image));
        default -> in.skip();
      }
    }
    return volume;
  }

  private static GCEPersistentDiskVolumeSource gce(MessageReader in) throws IOException {
    GCEPersistentDiskVolumeSource disk = new GCEPersistentDiskVolumeSource();
    while (in.next()) {
      switch (in.field()) {
        case 1 -> disk.setPdName(in.text());
        case 4 -> disk.setReadOnly(in.nonFalse());
        default -> in.skip();
      }
    }
    return disk;
  }

  private static AWSElasticBlockStoreVolumeSource aws(MessageReader in) throws IOException {
    AWSElasticBlockStoreVolumeSource disk = new AWSElasticBlockStoreVolumeSource();
    disk.setVolumeID(in.onlyText(1));
    return disk;
  }

  private static ISCSIVolumeSource iscsi(MessageReader in) throws IOException {
    ISCSIVolumeSource disk = new ISCSIVolumeSource();
    while (in.next()) {
      switch (in.field()) {
        case 2 -> disk.setIqn(in.text());
        case 6 -> disk.setReadOnly(in.nonFalse());
        default -> in.skip();
      }
    }
    return disk;
  }

  private static PersistentVolumeClaimVolumeSource claim(MessageReader in) throws IOException {
    PersistentVolumeClaimVolumeSource claim = new PersistentVolumeClaimVolumeSource();
    claim.setClaimName(in.onlyText(1));
    return claim;
  }

  private static RBDVolumeSource rbd(MessageReader in) throws IOException {
    RBDVolumeSource disk = new RBDVolumeSource();
    while (in.next()) {
      switch (in.field()) {
        case 1 -> disk.getMonitors().add(in.text());
        case 2 -> disk.setImage(in.text());
        case 4 -> disk.setPool(in.nonEmpty());
        case 8 -> disk.setReadOnly(in.nonFalse());
        default -> in.skip();
      }
    }
    return disk;
  }

  private static CinderVolumeSource cinder(MessageReader in) throws IOException {
    CinderVolumeSource disk = new CinderVolumeSource();
    disk.setVolumeID(in.onlyText(1));
    return disk;
  }

  private static AzureDiskVolumeSource azure(MessageReader in) throws IOException {
    AzureDiskVolumeSource disk = new AzureDiskVolumeSource();
    disk.setDiskURI(in.onlyText(2));
    return disk;
  }

  private static PortworxVolumeSource portworx(MessageReader in) throws IOException {
    PortworxVolumeSource disk = new PortworxVolumeSource();
    disk.setVolumeID(in.onlyText(1));
    return disk;
  }

  private static CSIVolumeSource csi(MessageReader in) throws IOException {
    CSIVolumeSource volume = new CSIVolumeSource();
    volume.setDriver(in.onlyText(1));
    return volume;
  }

  private static ImageVolumeSource image(MessageReader in) throws IOException {
    ImageVolumeSource image = new ImageVolumeSource();
    image.setReference(in.onlyText(1));
    return image;
  }
}
