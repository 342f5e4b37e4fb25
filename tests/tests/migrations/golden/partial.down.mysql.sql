-- Reverts that. Review it before you apply it.
-- For an up file of the hash 84c08b3a665c48fe

DROP TABLE `marks`;

DROP TABLE `notes`;
