-- Reverts that. Review it before you apply it.
-- For an up file of the hash 57627ead1f54c87d

DROP TABLE `marks`;

DROP TABLE `notes`;
